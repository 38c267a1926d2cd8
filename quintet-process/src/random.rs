//! Random numbers. Tock's driver 0x40001. The kernel decides how good the numbers are.

use crate::lend::{self, Buffer};
use crate::{ErrorCode, Operation, command};

/// The driver's number.
pub const DRIVER: u32 = 0x4_0001;
/// The driver's buffer.
const BUFFER: u32 = 0;
/// The driver's command.
const FILL: u32 = 1;
/// The most bytes that a future asks for at once.
const PIECE: usize = 32;

static FILLED: Operation = Operation::new(DRIVER, 0);
static BYTES: Buffer<PIECE> = Buffer::new();

/// Fills `bytes` with random bytes.
///
/// Cancel safe: only bytes that have arrived by then are lost.
///
/// # Errors
/// `NoDevice`: the kernel has no source of random numbers, or the process may not use it. `Fail`:
/// the source has failed.
pub async fn fill(bytes: &mut [u8]) -> Result<(), ErrorCode> {
    for piece in bytes.chunks_mut(PIECE) {
        let size = piece.len();
        let begin = || {
            BYTES.lend_read_write(DRIVER, BUFFER)?;
            command(DRIVER, FILL, size as u32, 0).done()
        };
        came(FILLED.run(begin).await?, size)?;
        BYTES.copy_to(piece);
    }
    Ok(())
}

/// As [`fill`], but blocks.
///
/// # Errors
/// As [`fill`]. `Busy`: a future of [`fill`] is under way.
pub fn fill_blocking(bytes: &mut [u8]) -> Result<(), ErrorCode> {
    if FILLED.is_taken() {
        return Err(ErrorCode::Busy);
    }
    let size = bytes.len();
    // Nothing comes for nothing.
    if size == 0 {
        return Ok(());
    }
    let begin = || command(DRIVER, FILL, size as u32, 0).done();
    let words = lend::read_write(DRIVER, BUFFER, bytes, || FILLED.run_blocking(begin))??;
    came(words, size)
}

/// Translates the upcall.
const fn came([status, count, _]: [u32; 3], size: usize) -> Result<(), ErrorCode> {
    match status {
        0 if count as usize == size => Ok(()),
        _ => Err(ErrorCode::Fail),
    }
}
