//! The command `quintet`. All code is in the library, so that tests reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    quintet_lab::command_line(std::env::args_os())
}
