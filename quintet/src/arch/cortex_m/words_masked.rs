//! Words that any interrupt may touch, on a core without LDREX: updates under PRIMASK.
//!
//! A few instructions each, with every interrupt held off.

use ::core::sync::atomic::{AtomicU32, Ordering};

pub use super::words_plain::{get, get_byte, get_flag, put, put_byte, put_flag};
#[cfg(threads)]
pub use super::words_replaced::{
    exchange_pointer, replace_pointer, swap_pointer, try_exchange_pointer,
};
pub use super::words_replaced::{replace, replace_byte};

use super::words_replaced::masked;

/// Sets bits.
#[inline(always)]
pub fn set(word: &AtomicU32, bits: u32) {
    masked(|| word.store(word.load(Ordering::Relaxed) | bits, Ordering::Relaxed));
}

/// Clears bits, and returns the old word.
#[inline(always)]
pub fn clear(word: &AtomicU32, bits: u32) -> u32 {
    masked(|| {
        let before = word.load(Ordering::Relaxed);
        word.store(before & !bits, Ordering::Relaxed);
        before
    })
}

/// Adds, wrapping, and returns the old word.
#[inline(always)]
pub fn add(word: &AtomicU32, number: u32) -> u32 {
    masked(|| {
        let before = word.load(Ordering::Relaxed);
        word.store(before.wrapping_add(number), Ordering::Relaxed);
        before
    })
}
