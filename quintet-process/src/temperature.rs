//! A thermometer. Tock's driver 0x60000.

use crate::{ErrorCode, Operation, command};

/// The driver's number.
pub const DRIVER: u32 = 0x6_0000;
/// Its command.
const READ: u32 = 1;

static IS_READ: Operation = Operation::new(DRIVER, 0);

/// The temperature, in hundredths of a degree Celsius. Waits for ever if the thermometer never
/// answers: kernels say nothing of its errors.
///
/// Cancel safe.
///
/// # Errors
/// `NoDevice`: the kernel has no thermometer, or the process may not use it.
pub async fn read() -> Result<i32, ErrorCode> {
    Ok(IS_READ.run(begin).await?[0] as i32)
}

/// The same, and blocks.
///
/// # Errors
/// As [`read`].
pub fn read_blocking() -> Result<i32, ErrorCode> {
    Ok(IS_READ.run_blocking(begin)?[0] as i32)
}

fn begin() -> Result<(), ErrorCode> {
    command(DRIVER, READ, 0, 0).done()
}
