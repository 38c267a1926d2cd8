//! Stacks: the memory that threads run on.

#![expect(unsafe_code, reason = "a stack is looked at while its thread runs")]

use ::core::cell::UnsafeCell;
use ::core::fmt;

use crate::core::scheduler::{ThreadInfo, UNTOUCHED};

/// The stack of a thread: a static of `BYTES` bytes, rounded up to a multiple of 32. The lowest 32
/// bytes are for a guard.
///
/// The stack is zero at first, or filled when its thread starts. So the kernel can tell which bytes
/// were never used.
#[repr(C, align(32))]
pub struct Stack<const BYTES: usize> {
    bytes: UnsafeCell<[u8; BYTES]>,
}

// SAFETY: it is its thread's, which runs on one stack.
unsafe impl<const BYTES: usize> Sync for Stack<BYTES> {}

/// The bytes of a guard; 0 if the stack has a limit.
const GUARD: usize = if cfg!(stack_limit) { 0 } else { 32 };

/// The least size that a thread needs: its registers when the thread is preempted, and a few calls.
/// The macros that make threads refuse a smaller size where you wrote it, and name this size.
pub const LEAST: usize = 256;

impl<const BYTES: usize> Stack<BYTES> {
    /// Makes a stack that was never used.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(BYTES >= LEAST, "a thread's stack has 256 bytes at least") };
        Self { bytes: UnsafeCell::new([0; BYTES]) }
    }

    /// Returns the stack's lowest address.
    #[must_use]
    pub const fn lowest(&self) -> *mut u32 {
        self.bytes.get().cast()
    }

    /// Returns the stack's size in bytes: a multiple of 32.
    #[must_use]
    pub const fn size(&self) -> usize {
        size_of::<Self>()
    }
}

impl<const BYTES: usize> Default for Stack<BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const BYTES: usize> fmt::Debug for Stack<BYTES> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Stack").field("size", &self.size()).finish_non_exhaustive()
    }
}

/// Returns the words of a stack above its guard, as the guard can't be read, and is never written.
fn words(about: &ThreadInfo) -> impl Iterator<Item = *mut u32> {
    let (stack, words) = (about.stack, about.stack_size / size_of::<u32>());
    (GUARD / size_of::<u32>()..words).map(move |word| stack.wrapping_add(word))
}

/// Returns how many bytes of a stack were ever used: all bytes from the first changed word on.
pub fn high_water(about: &ThreadInfo) -> usize {
    let leading = |value| {
        // SAFETY: inside the stack; its thread may write meanwhile, one word at a time.
        words(about).take_while(|word| unsafe { word.read_volatile() } == value).count()
    };
    let bytes = about.stack_size - GUARD;
    // Before the first start it is zero, as nothing that a thread has run on is.
    if leading(0) * size_of::<u32>() == bytes {
        return 0;
    }
    bytes - leading(UNTOUCHED) * size_of::<u32>()
}

/// Marks all of a stack as never used.
///
/// # Safety
/// Nothing runs on the stack in the meantime.
#[cfg(feature = "statistics")]
pub unsafe fn fill(about: &ThreadInfo) {
    for word in words(about) {
        // SAFETY: inside the stack, and the caller's.
        unsafe { word.write_volatile(UNTOUCHED) };
    }
}
