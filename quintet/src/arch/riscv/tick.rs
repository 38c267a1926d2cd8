//! What counted time needs of an architecture. Nothing counts ticks here: the application's time is
//! that of the [timer](super::timer), and no macro starts a tick.

use ::core::cell::UnsafeCell;

use super::software;

/// A number of 64 bits that one context increments, and every context reads.
#[repr(C)]
pub struct Count {
    low: UnsafeCell<u32>,
    high: UnsafeCell<u32>,
}

// SAFETY: one context writes, with interrupts held off while the halves don't belong together.
unsafe impl Sync for Count {}

impl Count {
    /// Makes the number 0.
    pub const fn new() -> Self {
        Self { low: UnsafeCell::new(0), high: UnsafeCell::new(0) }
    }

    /// Adds 1.
    ///
    /// # Safety
    /// Only one context calls this, and is not interrupted by itself.
    #[inline(always)]
    pub unsafe fn up(&self) {
        // SAFETY: the caller's; words that no other code writes.
        unsafe {
            let low = self.low.get().read_volatile().wrapping_add(1);
            let before = super::interrupts::raise();
            if low == 0 {
                self.high.get().write_volatile(self.high.get().read_volatile() + 1);
            }
            self.low.get().write_volatile(low);
            super::interrupts::restore(before);
        }
    }

    /// Returns the number that lies `OFFSET` bytes behind `owner`. From any context.
    ///
    /// # Safety
    /// A number lies there.
    #[inline(always)]
    pub unsafe fn get_within<const OFFSET: usize>(owner: *const ()) -> u64 {
        // SAFETY: the caller's.
        unsafe { &*owner.byte_add(OFFSET).cast::<Self>() }.get()
    }

    /// Returns the number. From any context.
    #[inline(always)]
    fn get(&self) -> u64 {
        loop {
            // SAFETY: words that are written only as a whole.
            let (high, low, again) = unsafe {
                let (high, low) = (self.high.get(), self.low.get());
                (high.read_volatile(), low.read_volatile(), high.read_volatile())
            };
            if high == again {
                return u64::from(high) << 32 | u64::from(low);
            }
        }
    }
}

/// Returns `false`: no period ends.
pub const fn take_ended() -> bool {
    false
}

/// Returns `true` if the interrupt is pending.
pub fn is_pending() -> bool {
    software::is_pending(software::TIMER)
}

/// Makes the interrupt pending.
pub fn pend() {
    software::pend(software::TIMER);
}
