//! [`KernelRawMutex`]: the kernel's lock for the objects of `embassy-sync`.

#![expect(unsafe_code, reason = "the contract of `RawMutex`")]

use embassy_sync::blocking_mutex::raw::RawMutex;

use crate::core::lock::kernel;

/// The kernel's lock as a `RawMutex` of `embassy-sync`: it masks up to the kernel's ceiling, not
/// everything, and takes no memory.
///
/// ```
/// use embassy_sync::channel::Channel;
/// use quintet::sync::KernelRawMutex;
///
/// static READINGS: Channel<KernelRawMutex, u16, 4> = Channel::new();
/// # READINGS.try_send(1).unwrap();
/// ```
///
/// `embassy-sync` moves messages and calls wakers, cloned and dropped ones too, within the lock.
/// The longest time for which it masks is up to it; the objects of [`sync`](crate::sync) keep
/// theirs short. With the feature on, a resource that could do without remembering the mask has to
/// remember it: such a section may be open around any lock.
///
/// # Contexts
/// Every task, interrupt task, `init` and `idle`. Kernel-free interrupts may not use an object that
/// is built on it (see [`sync`](crate::sync#contexts)): the kernel's lock doesn't hold them off.
#[derive(Debug)]
pub struct KernelRawMutex {
    _private: (),
}

impl KernelRawMutex {
    /// A mutex that nobody has locked.
    #[must_use]
    pub const fn new() -> Self {
        Self { _private: () }
    }
}

impl Default for KernelRawMutex {
    fn default() -> Self {
        Self::new()
    }
}

// SAFETY: one context at a time is in a section of the kernel's lock. A section within a section of
// the same context is allowed by the trait.
unsafe impl RawMutex for KernelRawMutex {
    const INIT: Self = Self::new();

    #[inline(always)]
    fn lock<R>(&self, section: impl FnOnce() -> R) -> R {
        kernel(|_lock| section())
    }
}
