//! The command `quintet`: everything is in the library, so that it can be tested.

use std::process::ExitCode;

fn main() -> ExitCode {
    quintet_lab::command_line(std::env::args_os())
}
