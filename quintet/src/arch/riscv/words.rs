//! Words that any interrupt may touch.
//!
//! With the A extension, one instruction updates a word. Replacing would be a loop of LR and SC: an
//! SC succeeds although an interrupt has stored in between, because stores of the same hart needn't
//! end the reservation. So words are replaced with interrupts held off.

use ::core::sync::atomic::{AtomicU32, Ordering};

pub use super::words_plain::{get, get_byte, get_flag, put, put_byte, put_flag};
pub use super::words_replaced::{
    exchange_pointer, replace, replace_byte, replace_pointer, swap_pointer, try_exchange_pointer,
};

#[cfg(not(target_has_atomic = "32"))]
use super::words_replaced::masked;

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
