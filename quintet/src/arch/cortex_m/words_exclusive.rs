//! Words that any interrupt may touch: updates by LDREX and STREX.
//!
//! Nothing is masked, so the updates are sound from interrupts that no mask holds off. On one core
//! a plain compiler fence orders them. The barriers of the orderings of `core::sync::atomic` would
//! cost cycles and order nothing more.

#![cfg_attr(threads, expect(unsafe_code, reason = "a branch is taken in assembly"))]

#[cfg(threads)]
use ::core::arch::asm;
#[cfg(threads)]
use ::core::sync::atomic::AtomicPtr;
use ::core::sync::atomic::{AtomicU8, AtomicU32, Ordering, compiler_fence};

pub use super::words_plain::{get, get_byte, get_flag, put, put_byte, put_flag};

/// Sets bits.
#[inline(always)]
pub fn set(word: &AtomicU32, bits: u32) {
    compiler_fence(Ordering::SeqCst);
    word.fetch_or(bits, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
}

/// Clears bits, and returns the old word.
#[inline(always)]
pub fn clear(word: &AtomicU32, bits: u32) -> u32 {
    compiler_fence(Ordering::SeqCst);
    let before = word.fetch_and(!bits, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    before
}

/// Adds, wrapping, and returns the old word.
#[inline(always)]
pub fn add(word: &AtomicU32, number: u32) -> u32 {
    compiler_fence(Ordering::SeqCst);
    let before = word.fetch_add(number, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    before
}

/// Replaces `from` by `to`. Returns `false` if the word is another one.
#[inline(always)]
pub fn replace(word: &AtomicU32, from: u32, to: u32) -> bool {
    compiler_fence(Ordering::SeqCst);
    let done = word.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    compiler_fence(Ordering::SeqCst);
    done
}

/// Replaces `from` by `to`. Returns `false` if the pointer is another one, or if another context
/// came in between. In assembly, so that a branch on the result needs no value; the assembly also
/// orders accesses for the compiler. An exclusive access that stays open does no harm: a context
/// that continues after its own LDREX was preempted there, and is resumed by an exception, which
/// closes the access.
#[cfg(threads)]
#[inline(always)]
pub fn replace_pointer<T>(pointer: &AtomicPtr<T>, from: *mut T, to: *mut T) -> bool {
    // SAFETY: a word that all contexts write by exclusive accesses, or under the kernel's lock.
    unsafe {
        asm!(
            "ldrex r3, [{pointer}]",          // r3 = the present pointer
            "cmp r3, {from}",                 // is it the expected one?
            "bne {other}",                    // no
            "strex r3, {to}, [{pointer}]",    // r3 = 0, if nothing came in between
            "cmp r3, #0",                     // was it stored?
            "bne {other}",                    // no: another context came in between
            pointer = in(reg) pointer.as_ptr(),
            from = in(reg) from,
            to = in(reg) to,
            out("r3") _,
            other = label { return false },
            options(nostack),
        );
    }
    true
}

/// Replaces `from` by `to`. Returns `false` if the byte is another one.
#[inline(always)]
pub fn replace_byte(byte: &AtomicU8, from: u8, to: u8) -> bool {
    compiler_fence(Ordering::SeqCst);
    let done = byte.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    compiler_fence(Ordering::SeqCst);
    done
}

/// Replaces `from` by `to`. As the others below, for pointers that are written under the kernel's
/// lock or by the switch, whose order needs no fence.
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
    pointer.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed)
}

/// As [`exchange_pointer`], and may fail without a reason.
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
    pointer.compare_exchange_weak(from, to, Ordering::Relaxed, Ordering::Relaxed)
}

/// Puts another pointer there, and returns the old one.
#[cfg(threads)]
#[inline(always)]
pub fn swap_pointer<T>(pointer: &AtomicPtr<T>, to: *mut T) -> *mut T {
    pointer.swap(to, Ordering::Relaxed)
}
