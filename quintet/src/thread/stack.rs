//! Stacks: memory that a thread runs on.

#![expect(unsafe_code, reason = "a stack is looked at while its thread runs")]

use ::core::cell::UnsafeCell;
use ::core::fmt;

use crate::core::scheduler::{About, UNTOUCHED};

/// The stack of a thread: a static of `BYTES` bytes, rounded up to a multiple of 32. The lowest 32
/// are for a guard.
///
/// It is zero at first, or filled when its thread starts: so it is known what has never been used.
#[repr(C, align(32))]
pub struct Stack<const BYTES: usize> {
    bytes: UnsafeCell<[u8; BYTES]>,
}

// SAFETY: it is its thread's, which runs on one stack.
unsafe impl<const BYTES: usize> Sync for Stack<BYTES> {}

/// The bytes of a guard; none where the stack has a limit.
const GUARD: usize = if cfg!(stack_limit) { 0 } else { 32 };

/// The least that a thread needs: its registers when it is preempted, and a few calls. The macros
/// that make threads refuse less where the user wrote it, and name it.
pub const LEAST: usize = 256;

impl<const BYTES: usize> Stack<BYTES> {
    /// A stack that was not used.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(BYTES >= LEAST, "a thread's stack has 256 bytes at least") };
        Self { bytes: UnsafeCell::new([0; BYTES]) }
    }

    /// Its lowest address.
    #[must_use]
    pub const fn lowest(&self) -> *mut u32 {
        self.bytes.get().cast()
    }

    /// Its size in bytes: a multiple of 32.
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

/// The words of a stack behind its guard, which can't be read, and is never written.
fn words(about: &About) -> impl Iterator<Item = *mut u32> {
    let (stack, words) = (about.stack, about.stack_size / size_of::<u32>());
    (GUARD / size_of::<u32>()..words).map(move |word| stack.wrapping_add(word))
}

/// How many bytes of a stack have been used at most: those from the first word that isn't as it
/// was.
pub fn high_water(about: &About) -> usize {
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

/// Makes a stack one that has never been used.
///
/// # Safety
/// Nobody runs on it meanwhile.
#[cfg(feature = "statistics")]
pub unsafe fn fill(about: &About) {
    for word in words(about) {
        // SAFETY: inside the stack, and the caller's.
        unsafe { word.write_volatile(UNTOUCHED) };
    }
}
