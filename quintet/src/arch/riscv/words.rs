//! Words that any interrupt may touch.
//!
//! With the A extension, one instruction updates a word. Replacing would be a loop of LR and SC: an
//! SC succeeds although an interrupt has stored in between, because stores of the same hart needn't
//! end the reservation. So words are replaced with interrupts held off.

use ::core::sync::atomic::AtomicPtr;
use ::core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

pub use super::words_plain::{get, get_byte, get_flag, put, put_byte, put_flag};

use super::interrupts;

/// Runs `update` with every interrupt held off.
#[inline(always)]
fn masked<R>(update: impl FnOnce() -> R) -> R {
    let before = interrupts::raise();
    let result = update();
    // SAFETY: from the matching `raise`, and `update` ends each section that it begins.
    unsafe { interrupts::restore(before) };
    result
}

/// Replaces the word by what `change` makes of it, and returns the old word.
#[cfg(not(target_has_atomic = "32"))]
#[inline(always)]
fn update(word: &AtomicU32, change: impl FnOnce(u32) -> u32) -> u32 {
    masked(|| {
        let before = word.load(Ordering::Relaxed);
        word.store(change(before), Ordering::Relaxed);
        before
    })
}

/// Runs `update`, one instruction. The compiler moves no access across.
#[cfg(target_has_atomic = "32")]
#[inline(always)]
fn fenced<R>(update: impl FnOnce() -> R) -> R {
    use ::core::sync::atomic::compiler_fence;

    compiler_fence(Ordering::SeqCst);
    let result = update();
    compiler_fence(Ordering::SeqCst);
    result
}

/// Sets bits.
#[inline(always)]
pub fn set(word: &AtomicU32, bits: u32) {
    #[cfg(target_has_atomic = "32")]
    fenced(|| word.fetch_or(bits, Ordering::Relaxed));
    #[cfg(not(target_has_atomic = "32"))]
    update(word, |before| before | bits);
}

/// Clears bits, and returns the old word.
#[inline(always)]
pub fn clear(word: &AtomicU32, bits: u32) -> u32 {
    #[cfg(target_has_atomic = "32")]
    return fenced(|| word.fetch_and(!bits, Ordering::Relaxed));
    #[cfg(not(target_has_atomic = "32"))]
    return update(word, |before| before & !bits);
}

/// Adds, wrapping, and returns the old word.
#[inline(always)]
pub fn add(word: &AtomicU32, number: u32) -> u32 {
    #[cfg(target_has_atomic = "32")]
    return fenced(|| word.fetch_add(number, Ordering::Relaxed));
    #[cfg(not(target_has_atomic = "32"))]
    return update(word, |before| before.wrapping_add(number));
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
#[inline(always)]
pub fn replace_pointer<T>(pointer: &AtomicPtr<T>, from: *mut T, to: *mut T) -> bool {
    exchange_pointer(pointer, from, to).is_ok()
}

/// Replaces `from` by `to`.
///
/// # Errors
/// The pointer, if it is another one.
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
#[inline(always)]
pub fn try_exchange_pointer<T>(
    pointer: &AtomicPtr<T>,
    from: *mut T,
    to: *mut T,
) -> Result<*mut T, *mut T> {
    exchange_pointer(pointer, from, to)
}

/// Replaces the pointer, and returns the old one.
#[inline(always)]
pub fn swap_pointer<T>(pointer: &AtomicPtr<T>, to: *mut T) -> *mut T {
    masked(|| {
        let before = pointer.load(Ordering::Relaxed);
        pointer.store(to, Ordering::Relaxed);
        before
    })
}
