//! Checks of the tree itself, as commands: `cargo xtask COMMAND`.

use std::process::ExitCode;

use clap::Parser;
use xtask::command::Cli;

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
