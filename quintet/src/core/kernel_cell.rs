//! Data of the kernel: what only the holder of the kernel's lock reaches.
//!
//! Holders may nest (a section inside a section), so they get shared references only; what changes
//! lies in `Cell`s.

#![expect(unsafe_code, reason = "the lock's proof stands for exclusive access")]

use crate::core::lock::KernelLock;

/// A value that the kernel's lock guards. Costs no byte.
#[repr(transparent)]
pub struct KernelCell<T>(T);

// SAFETY: INVARIANT(kernel-only): the value is reached with a proof of the kernel's lock only,
// which one context has at a time. So contexts take turns, for which `T: Send` is enough.
unsafe impl<T: Send> Sync for KernelCell<T> {}

impl<T> KernelCell<T> {
    /// Guards `value`.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The value, as long as the lock is held.
    #[inline(always)]
    pub const fn get<'a>(&'a self, _lock: &'a KernelLock<'_>) -> &'a T {
        &self.0
    }
}
