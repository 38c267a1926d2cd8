//! Random numbers. Tock's driver 0x40001. How good they are is the kernel's business.

use crate::lend::{self, Buffer};
use crate::{ErrorCode, Operation, command};

/// The driver's number.
pub const DRIVER: u32 = 0x4_0001;
/// Its buffer.
const BUFFER: u32 = 0;
/// Its command.
const FILL: u32 = 1;
/// The most bytes that a future asks for at once.
const PIECE: usize = 32;

static FILLED: Operation = Operation::new(DRIVER, 0);
static BYTES: Buffer<PIECE> = Buffer::new();

/// Fills bytes with random ones.
///
/// Cancel safe: bytes that have come by then are lost.
///
/// # Errors
/// `NoDevice`: the kernel has no source of them, or the process may not use it. `Fail`: the source
/// has failed.
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

/// The same, and blocks.
///
/// # Errors
/// As [`fill`]. `Busy`: a future is at it.
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

/// What the upcall says.
const fn came([status, count, _]: [u32; 3], size: usize) -> Result<(), ErrorCode> {
    match status {
        0 if count as usize == size => Ok(()),
        _ => Err(ErrorCode::Fail),
    }
}
