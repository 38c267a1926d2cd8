//! [`KernelRawMutex`]: the kernel's lock for the objects of `embassy-sync`.

#![expect(unsafe_code, reason = "the contract of `RawMutex`")]

use embassy_sync::blocking_mutex::raw::RawMutex;

use crate::core::lock::kernel;

/// The kernel's lock as a `RawMutex` of `embassy-sync`. It masks up to the kernel's ceiling, not
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
/// Within the lock, `embassy-sync` moves messages, and calls, clones and drops wakers. So
/// `embassy-sync` determines the longest time for which interrupts are masked; the objects of
/// [`sync`](crate::sync) keep their sections short. With this feature, a section of the kernel's
/// lock may be open around any lock. So each resource has to remember the mask, even a resource
/// that otherwise need not.
///
/// # Contexts
/// Every task, interrupt task, `init` and `idle`. Kernel-free interrupts may not use an object over
/// this mutex (see [`sync`](crate::sync#contexts)): the kernel's lock doesn't hold them off.
#[derive(Debug)]
pub struct KernelRawMutex {
    _private: (),
}

impl KernelRawMutex {
    /// Makes a mutex that no context has locked.
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
