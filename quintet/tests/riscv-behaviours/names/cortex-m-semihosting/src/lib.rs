//! The names of `cortex-m-semihosting` that programs of `tests/firmware` use, for RISC-V.
#![no_std]

pub use semihosting::{print as hprint, println as hprintln};

pub mod debug {
    //! The end of a program.

    /// How a program ends.
    pub type ExitStatus = Result<(), ()>;
    /// Well.
    pub const EXIT_SUCCESS: ExitStatus = Ok(());
    /// Not well.
    pub const EXIT_FAILURE: ExitStatus = Err(());

    /// Ends the program.
    pub fn exit(status: ExitStatus) {
        semihosting::process::exit(status.is_err().into());
    }
}
