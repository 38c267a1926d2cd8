//! What the expansion of [`app`](crate::app) calls. Not for applications.
//!
//! `docs/expansion.md` shows one whole expansion.

#![expect(unsafe_code, reason = "statics of the expansion are shared by its own rules")]

use ::core::cell::UnsafeCell;

#[cfg(target_arch = "arm")]
pub use cortex_m;
pub use critical_section;

pub use crate::arch::mask::{Ceiling, Saved, hardware_priority, raise, restore};
#[cfg(target_arch = "arm")]
pub use crate::arch::{
    disable_interrupts, enable, enable_interrupts, set_exception_priority, set_interrupt_priority,
};
pub use crate::arch::{pend, signal_event, sleep_until_event};
pub use crate::core::level::{Job, One, Ready, Slots, WideReady};
pub use crate::core::lock::{Resource, resource};
pub use crate::core::wake::{Level, Wake};
pub use crate::future::cell::{Cell, align, size};

/// A static that the expansion guards by its own rules: a resource, or a task's local.
#[repr(transparent)]
pub struct RacyCell<T>(UnsafeCell<T>);

// SAFETY: every access is unsafe, and the expansion makes them one at a time.
unsafe impl<T> Sync for RacyCell<T> {}

impl<T> RacyCell<T> {
    /// A cell with `value`.
    #[must_use]
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The value's place. Using it is up to the expansion.
    #[inline(always)]
    #[must_use]
    pub const fn get_mut(&self) -> *mut T {
        self.0.get()
    }

    /// The value's place. Using it is up to the expansion.
    #[inline(always)]
    #[must_use]
    pub const fn get(&self) -> *const T {
        self.0.get()
    }
}

/// Defines the kernel's lock at a ceiling.
#[doc(hidden)]
#[macro_export]
macro_rules! __kernel_lock {
    ($ceiling:expr) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        extern "Rust" fn __quintet_kernel_acquire() -> $crate::export::Saved {
            $crate::export::raise(const { $ceiling })
        }

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        unsafe extern "Rust" fn __quintet_kernel_release(saved: $crate::export::Saved) {
            // SAFETY: handed on.
            unsafe { $crate::export::restore(const { $ceiling }, saved) }
        }
    };
}

/// Sleeps whenever there is nothing to do: thread mode of an application without idle.
#[inline(always)]
pub fn sleep_forever() -> ! {
    loop {
        sleep_until_event();
    }
}

/// Runs rounds of the software tasks of priority 0 in thread mode, and sleeps when none is ready.
#[inline(always)]
pub fn run_thread_mode(round: impl Fn(), is_empty: impl Fn() -> bool) -> ! {
    loop {
        round();
        if is_empty() {
            sleep_until_event();
        }
    }
}
