//! The lab: run, time and take apart Cortex-M firmware on any computer.
//!
//! The command `quintet` is [`command_line`]; each of its subcommands is a module of [`commands`].
//! The simulator is the crate `quintet-sim`. This crate opens firmware files ([`firmware`]), reads
//! their debug information ([`debug`]) and reports the results ([`report`]).

// Any firmware and any file must end in an answer, never in a panic.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable)]

mod arguments;
pub mod bench;
pub mod bounds;
pub mod chart;
pub mod chip;
pub mod commands;
mod counters;
pub mod coverage;
pub mod ctrl_c;
pub mod dap;
pub mod deadlines;
pub mod debug;
pub mod debugger;
pub mod exit;
pub mod expect;
pub mod firmware;
pub mod gdb;
pub mod inject;
pub mod input;
pub mod linker;
pub mod log;
pub mod main_stack;
pub mod masks;
pub mod new;
pub mod output;
pub mod pins;
pub mod point;
pub mod process;
pub mod profile;
pub mod progress;
pub mod project;
pub mod report;
pub mod simulated;
pub mod simulation;
pub mod svd;
pub mod threads;
pub mod toolchain;
pub mod trace;
pub mod validate;
pub mod window;

use clap::Parser;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command with the process's arguments, the program's name first.
pub fn command_line(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = arguments::separate(arguments.into_iter().collect());
    let command = match commands::Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        Err(error) => {
            // It is no failure if nobody reads the help any more.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let code = match command.run() {
        Ok(outcome) => outcome.code(),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::from(exit::CLOSED_PIPE),
        Err(error) => {
            output::complain(&output::in_words(&error));
            ExitCode::from(exit::TOOL_ERROR)
        }
    };
    // What a part of a run shows is no verdict, whatever it is.
    let Some(note) = ctrl_c::note() else { return code };
    output::complain(note);
    ExitCode::from(exit::INTERRUPTED)
}
