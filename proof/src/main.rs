//! What proves Quintet, as commands: `cargo proof COMMAND`.

use std::process::ExitCode;

use clap::Parser;
use proof::command::Cli;

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
