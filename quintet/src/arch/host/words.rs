//! Words that any thread of the test process may touch.

use ::core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// Sets bits.
#[inline(always)]
pub fn set(word: &AtomicU32, bits: u32) {
    word.fetch_or(bits, Ordering::SeqCst);
}

/// Clears bits, and returns the word as it was.
#[inline(always)]
pub fn clear(word: &AtomicU32, bits: u32) -> u32 {
    let before = word.fetch_and(!bits, Ordering::SeqCst);
    before
}

/// Adds, wrapping, and returns the word as it was.
#[inline(always)]
pub fn add(word: &AtomicU32, number: u32) -> u32 {
    let before = word.fetch_add(number, Ordering::SeqCst);
    before
}

/// Replaces `from` by `to`; false if the word is another.
#[inline(always)]
pub fn replace(word: &AtomicU32, from: u32, to: u32) -> bool {
    let done = word.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    done
}

/// Replaces `from` by `to`; false if the byte is another.
#[inline(always)]
pub fn replace_byte(byte: &AtomicU8, from: u8, to: u8) -> bool {
    let done = byte.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    done
}
