//! SysTick as a tick on the host: periods that tests let end, and an interrupt that they look for.

#![expect(unsafe_code, reason = "the names and contracts are those of the targets")]

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The longest period, in cycles.
pub const PERIOD_MAX: u32 = 1 << 24;

thread_local! {
    static ENDED: Cell<bool> = const { Cell::new(false) };
    static PENDING: Cell<bool> = const { Cell::new(false) };
}

/// Does nothing: a period ends when a test ends it.
///
/// # Safety
/// As on the targets.
pub unsafe fn start(_period: u32, _priority: u8) {}

/// Returns `true` if a period has ended since the last call.
pub fn take_ended() -> bool {
    super::explore::point();
    ENDED.replace(false)
}

/// Returns `true` if the interrupt is pending.
pub fn is_pending() -> bool {
    super::explore::point();
    PENDING.get()
}

/// Makes the interrupt pending.
pub fn pend() {
    super::explore::point();
    PENDING.set(true);
    super::pend(EXCEPTION);
}

/// The number that stands for the exception.
pub const EXCEPTION: u16 = u16::MAX;

/// Lets a period end.
#[cfg(test)]
pub fn end_period() {
    ENDED.set(true);
    PENDING.set(true);
    super::pend(EXCEPTION);
}

/// Takes the interrupt. Returns whether it was pending.
#[cfg(test)]
pub fn taken() -> bool {
    PENDING.replace(false)
}

/// A number of 64 bits that one context increments, and every context reads.
pub struct Count(AtomicU64);

impl Count {
    /// Makes the number 0.
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Sets the number.
    #[cfg(test)]
    pub fn set(&self, number: u64) {
        self.0.store(number, Ordering::Relaxed);
    }

    /// Adds 1.
    ///
    /// # Safety
    /// Only one context calls this, and is not interrupted by itself.
    pub unsafe fn up(&self) {
        super::explore::point();
        let number = self.0.load(Ordering::Relaxed) + 1;
        super::explore::point();
        self.0.store(number, Ordering::Relaxed);
        super::explore::point();
    }

    /// Returns the number that lies `OFFSET` bytes behind `owner`.
    ///
    /// # Safety
    /// A number lies there.
    #[inline(always)]
    pub unsafe fn get_within<const OFFSET: usize>(owner: *const ()) -> u64 {
        // SAFETY: the caller's.
        unsafe { &*owner.byte_add(OFFSET).cast::<Self>() }.get()
    }

    /// Returns the number.
    fn get(&self) -> u64 {
        super::explore::point();
        self.0.load(Ordering::Relaxed)
    }
}

/// Defines the handler `$name`.
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_handler {
    ($name:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name() {
            // SAFETY: the handler.
            unsafe { $crate::export::time::on_tick() }
        }
    };
}
