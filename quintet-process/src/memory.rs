//! The memory and the flash of the process: their addresses, and the part that may be lent.

#![expect(unsafe_code, reason = "system calls")]

use core::ops::Range;

use crate::ErrorCode;
use crate::system::{call, class};

/// The operations.
mod operation {
    pub const MOVE_BREAK: usize = 1;
    pub const MEMORY_BEGIN: usize = 2;
    pub const FLASH_BEGIN: usize = 4;
    pub const FLASH_END: usize = 5;
    pub const APPLICATION_END: usize = 6;
}

/// Does a memory operation, and returns its word.
fn ask(operation: usize, argument: usize) -> Result<usize, ErrorCode> {
    // SAFETY: none of these takes memory away that is in use.
    let [variant, first, ..] = unsafe { call::<{ class::MEMORY }>([operation, argument, 0, 0]) };
    if variant < 128 { Err(ErrorCode::of(first as u32)) } else { Ok(first) }
}

/// Asks for `bytes` more bytes of memory, behind the break. Returns the address of the first byte.
/// The bytes are zeros, and belong to the process for its whole life.
///
/// With the feature `alloc` the allocator calls this function. If your code calls it as well, the
/// allocator can't grow any more.
///
/// # Errors
/// `NoMemory`: the process has fewer bytes left. `Invalid`: more than `isize::MAX`.
pub fn grow(bytes: usize) -> Result<*mut u8, ErrorCode> {
    if isize::try_from(bytes).is_err() {
        return Err(ErrorCode::Invalid);
    }
    ask(operation::MOVE_BREAK, bytes).map(core::ptr::with_exposed_provenance_mut)
}

/// Returns the addresses of the memory of the process, up to the kernel's part. Memory behind the
/// break isn't in use, and may be inaccessible.
#[must_use]
pub fn memory() -> Range<usize> {
    range(operation::MEMORY_BEGIN, operation::APPLICATION_END)
}

/// Returns the addresses of the flash of the process, with its header.
#[must_use]
pub fn flash() -> Range<usize> {
    range(operation::FLASH_BEGIN, operation::FLASH_END)
}

/// Kernels answer both questions; for a kernel that doesn't, the range is empty.
fn range(begin: usize, end: usize) -> Range<usize> {
    ask(begin, 0).unwrap_or_default()..ask(end, 0).unwrap_or_default()
}

/// Returns the break: the end of the memory in use.
#[must_use]
pub fn end() -> usize {
    ask(operation::MOVE_BREAK, 0).unwrap_or_default()
}
