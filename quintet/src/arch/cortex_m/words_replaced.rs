//! Words that are replaced with every interrupt held off, on processors without an instruction, or
//! a pair of instructions, that does this.

#[cfg(threads)]
use ::core::sync::atomic::AtomicPtr;
use ::core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use super::all_interrupts;

/// Runs `update` with every interrupt held off.
#[inline(always)]
pub fn masked<R>(update: impl FnOnce() -> R) -> R {
    let before = all_interrupts::raise();
    let result = update();
    // SAFETY: from the matching `raise`, and `update` ends each section that it begins.
    unsafe { all_interrupts::restore(before) };
    result
}

/// Replaces `from` by `to`. Returns `false` if the word is another one.
#[inline(always)]
pub fn replace(word: &AtomicU32, from: u32, to: u32) -> bool {
    masked(|| {
        let same = word.load(Ordering::Relaxed) == from;
        if same {
            word.store(to, Ordering::Relaxed);
        }
        same
    })
}

/// Replaces `from` by `to`. Returns `false` if the byte is another one.
#[inline(always)]
pub fn replace_byte(byte: &AtomicU8, from: u8, to: u8) -> bool {
    masked(|| {
        let same = byte.load(Ordering::Relaxed) == from;
        if same {
            byte.store(to, Ordering::Relaxed);
        }
        same
    })
}

/// Replaces `from` by `to`. Returns `false` if the pointer is another one.
#[cfg(threads)]
#[inline(always)]
pub fn replace_pointer<T>(pointer: &AtomicPtr<T>, from: *mut T, to: *mut T) -> bool {
    exchange_pointer(pointer, from, to).is_ok()
}

/// Replaces `from` by `to`.
///
/// # Errors
/// The pointer, if it is another one.
#[cfg(threads)]
#[inline(always)]
pub fn exchange_pointer<T>(
    pointer: &AtomicPtr<T>,
    from: *mut T,
    to: *mut T,
) -> Result<*mut T, *mut T> {
    masked(|| {
        let before = pointer.load(Ordering::Relaxed);
        if before != from {
            return Err(before);
        }
        pointer.store(to, Ordering::Relaxed);
        Ok(before)
    })
}

/// As [`exchange_pointer`]: it never fails without a reason here.
///
/// # Errors
/// As [`exchange_pointer`].
#[cfg(threads)]
#[inline(always)]
pub fn try_exchange_pointer<T>(
    pointer: &AtomicPtr<T>,
    from: *mut T,
    to: *mut T,
) -> Result<*mut T, *mut T> {
    exchange_pointer(pointer, from, to)
}

/// Puts another pointer there, and returns the old one.
#[cfg(threads)]
#[inline(always)]
pub fn swap_pointer<T>(pointer: &AtomicPtr<T>, to: *mut T) -> *mut T {
    masked(|| {
        let before = pointer.load(Ordering::Relaxed);
        pointer.store(to, Ordering::Relaxed);
        before
    })
}
