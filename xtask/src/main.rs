//! Checks of the tree itself, as commands: `cargo xtask COMMAND`.

use std::process::ExitCode;

use xtask::cross;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.first().map(String::as_str) {
        Some("cross") => cross::command::main(&arguments[1..]),
        _ => {
            eprintln!("{}", cross::command::HELP);
            return ExitCode::FAILURE;
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
