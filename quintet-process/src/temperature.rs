//! A thermometer. Tock's driver 0x60000.

use crate::{ErrorCode, Operation, command};

/// The driver's number.
pub const DRIVER: u32 = 0x6_0000;
/// The driver's command.
const READ: u32 = 1;

static IS_READ: Operation = Operation::new(DRIVER, 0);

/// Returns the temperature, in hundredths of a degree Celsius. If the thermometer never answers,
/// this waits for ever, as kernels don't report its errors.
///
/// Cancel safe.
///
/// # Errors
/// `NoDevice`: the kernel has no thermometer, or the process may not use it.
pub async fn read() -> Result<i32, ErrorCode> {
    Ok(IS_READ.run(begin).await?[0] as i32)
}

/// As [`read`], but blocks.
///
/// # Errors
/// As [`read`].
pub fn read_blocking() -> Result<i32, ErrorCode> {
    Ok(IS_READ.run_blocking(begin)?[0] as i32)
}

fn begin() -> Result<(), ErrorCode> {
    command(DRIVER, READ, 0, 0).done()
}
