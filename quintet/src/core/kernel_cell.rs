//! Kernel data that only the holder of the kernel's lock can reach.
//!
//! Holders may nest (a section inside a section), so each holder gets only shared references.
//! Values that change lie in `Cell`s.

#![expect(unsafe_code, reason = "the lock's proof stands for exclusive access")]

use crate::core::lock::KernelLock;

/// A value that the kernel's lock guards. The cell adds no bytes.
#[repr(transparent)]
pub struct KernelCell<T>(T);

// SAFETY: INVARIANT(kernel-only): code reaches the value only with a proof of the kernel's lock,
// and only one context at a time has a proof. So contexts take turns, for which `T: Send` is
// enough.
unsafe impl<T: Send> Sync for KernelCell<T> {}

impl<T> KernelCell<T> {
    /// Guards `value`.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value, for as long as the lock is held.
    #[inline(always)]
    pub const fn get<'a>(&'a self, _lock: &'a KernelLock<'_>) -> &'a T {
        &self.0
    }
}
