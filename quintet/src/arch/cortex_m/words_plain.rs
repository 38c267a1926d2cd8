//! Plain loads and stores of words that any interrupt may touch.
//!
//! One instruction each, so no interrupt sees half of it. The compiler moves no access across.

use ::core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering, compiler_fence};

/// The word. What is read behind this call was not read before it.
#[inline(always)]
pub fn get(word: &AtomicU32) -> u32 {
    let value = word.load(Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    value
}

/// Replaces the word. What was written before this call is written before the word.
#[inline(always)]
pub fn put(word: &AtomicU32, value: u32) {
    compiler_fence(Ordering::SeqCst);
    word.store(value, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
}

/// The byte, as [`get`].
#[inline(always)]
pub fn get_byte(byte: &AtomicU8) -> u8 {
    let value = byte.load(Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    value
}

/// Replaces the byte, as [`put`].
#[inline(always)]
pub fn put_byte(byte: &AtomicU8, value: u8) {
    compiler_fence(Ordering::SeqCst);
    byte.store(value, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
}

/// The flag, as [`get`].
#[inline(always)]
pub fn get_flag(flag: &AtomicBool) -> bool {
    let value = flag.load(Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    value
}

/// Replaces the flag, as [`put`].
#[inline(always)]
pub fn put_flag(flag: &AtomicBool, value: bool) {
    compiler_fence(Ordering::SeqCst);
    flag.store(value, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
}
