//! Words that any thread of the test process may touch. Each access is a [`point`] where an
//! interrupt may come.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, Ordering};

use super::explore::point;

/// Returns the word.
pub fn get(word: &AtomicU32) -> u32 {
    point();
    word.load(Ordering::SeqCst)
}

/// Replaces the word.
pub fn put(word: &AtomicU32, value: u32) {
    point();
    word.store(value, Ordering::SeqCst);
}

/// Returns the byte.
pub fn get_byte(byte: &AtomicU8) -> u8 {
    point();
    byte.load(Ordering::SeqCst)
}

/// Replaces the byte.
pub fn put_byte(byte: &AtomicU8, value: u8) {
    point();
    byte.store(value, Ordering::SeqCst);
}

/// Returns the flag.
pub fn get_flag(flag: &AtomicBool) -> bool {
    point();
    flag.load(Ordering::SeqCst)
}

/// Replaces the flag.
pub fn put_flag(flag: &AtomicBool, value: bool) {
    point();
    flag.store(value, Ordering::SeqCst);
}

/// Sets bits.
pub fn set(word: &AtomicU32, bits: u32) {
    point();
    word.fetch_or(bits, Ordering::SeqCst);
}

/// Clears bits, and returns the old word.
pub fn clear(word: &AtomicU32, bits: u32) -> u32 {
    point();
    word.fetch_and(!bits, Ordering::SeqCst)
}

/// Adds, wrapping, and returns the old word.
pub fn add(word: &AtomicU32, number: u32) -> u32 {
    point();
    word.fetch_add(number, Ordering::SeqCst)
}

/// Replaces `from` by `to`. Returns `false` if the word is another one.
pub fn replace(word: &AtomicU32, from: u32, to: u32) -> bool {
    point();
    word.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}

/// Replaces `from` by `to`. Returns `false` if the byte is another one.
pub fn replace_byte(byte: &AtomicU8, from: u8, to: u8) -> bool {
    point();
    byte.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}

/// Replaces `from` by `to`. Returns `false` if the pointer is another one.
pub fn replace_pointer<T>(pointer: &AtomicPtr<T>, from: *mut T, to: *mut T) -> bool {
    point();
    pointer.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok()
}

/// Replaces `from` by `to`. As the others below, for pointers that are written under the kernel's
/// lock or by the switch, whose order needs no fence.
///
/// # Errors
/// The pointer, if it is another one.
#[inline(always)]
pub fn exchange_pointer<T>(
    pointer: &AtomicPtr<T>,
    from: *mut T,
    to: *mut T,
) -> Result<*mut T, *mut T> {
    pointer.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed)
}

/// As [`exchange_pointer`], and may fail without a reason.
///
/// # Errors
/// As [`exchange_pointer`].
#[inline(always)]
pub fn try_exchange_pointer<T>(
    pointer: &AtomicPtr<T>,
    from: *mut T,
    to: *mut T,
) -> Result<*mut T, *mut T> {
    pointer.compare_exchange_weak(from, to, Ordering::Relaxed, Ordering::Relaxed)
}

/// Puts another pointer there, and returns the old one.
#[inline(always)]
pub fn swap_pointer<T>(pointer: &AtomicPtr<T>, to: *mut T) -> *mut T {
    pointer.swap(to, Ordering::Relaxed)
}
