//! Plain loads and stores of words that any interrupt may touch.
//!
//! Each access is one instruction, so no interrupt sees a half of a word. The compiler moves no
//! access across.

use ::core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering, compiler_fence};

/// Returns the word. Reads after this call are not made before the call.
#[inline(always)]
pub fn get(word: &AtomicU32) -> u32 {
    let value = word.load(Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    value
}

/// Replaces the word. Writes before this call are made before this one.
#[inline(always)]
pub fn put(word: &AtomicU32, value: u32) {
    compiler_fence(Ordering::SeqCst);
    word.store(value, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
}

/// Returns the byte, as [`get`].
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

/// Returns the flag, as [`get`].
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
