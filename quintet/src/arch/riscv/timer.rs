//! The timer of the platform: a counter of 64 bits, `mtime`, and a register that it is compared
//! with, `mtimecmp`, in a core-local interruptor whose address the application says.
//!
//! The interrupt is pending while `mtime` isn't below `mtimecmp`. So a time that is past interrupts
//! at once, and no time is missed, however late it is written.
//!
//! The hart reads and writes 32 bits at a time. A half of `mtimecmp` that stands there alone must
//! not be below `mtime` if the whole isn't: the upper half is all ones while the lower one is
//! written (RISC-V Privileged Architecture, 3.2.1). No interrupt comes between the halves, as this
//! happens under the kernel's lock, and a handler above it doesn't exist.

use ::core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use super::software;

/// The longest time for [`set`](Clint::set).
pub const LEG: u32 = 1 << 30;

/// A core-local interruptor, as SiFive's, at this address.
#[derive(Clone, Copy)]
pub struct Clint(pub usize);

impl Clint {
    /// The place of `mtimecmp` of hart 0.
    const COMPARE: usize = 0x4000;
    /// The place of `mtime`.
    const TIME: usize = 0xbff8;

    #[inline(always)]
    fn read(self, place: usize) -> u32 {
        // SAFETY: the application says that the device is there; reading has no effect.
        unsafe { with_exposed_provenance::<u32>(self.0 + place).read_volatile() }
    }

    /// Writes a half of `mtimecmp`.
    #[inline(always)]
    fn write_compare(self, half: usize, value: u32) {
        let place = self.0 + Self::COMPARE + 4 * half;
        // SAFETY: the application says that the device is there; its timer is the clock's.
        unsafe { with_exposed_provenance_mut::<u32>(place).write_volatile(value) };
    }

    /// Returns the lower half of `mtime`. From any context.
    #[inline(always)]
    pub fn counter(self) -> u32 {
        self.read(Self::TIME)
    }

    /// Returns `mtime`. From any context: if the lower half has passed its end between two reads of
    /// the upper one, all is read again.
    #[inline(always)]
    fn time(self) -> u64 {
        loop {
            let high = self.read(Self::TIME + 4);
            let low = self.read(Self::TIME);
            if self.read(Self::TIME + 4) == high {
                return u64::from(high) << 32 | u64::from(low);
            }
        }
    }

    /// Lets the interrupt come when the lower half of `mtime` reaches `at`, at most [`LEG`] counts
    /// ahead, or at once if this time is past. Under the kernel's lock.
    #[inline(always)]
    pub fn set(self, at: u32) {
        let now = self.time();
        let left = at.wrapping_sub(now as u32) as i32;
        self.set_compare(u64::try_from(left).map_or(0, |left| now + left));
    }

    /// Writes `mtimecmp`.
    #[inline(always)]
    fn set_compare(self, at: u64) {
        self.write_compare(1, u32::MAX);
        self.write_compare(0, at as u32);
        self.write_compare(1, (at >> 32) as u32);
    }

    /// Lets `routine` serve the timer, at `priority`.
    ///
    /// # Safety
    /// Called once; no other code uses the timer, and `routine` may run from now on.
    pub unsafe fn start(self, priority: u8, routine: unsafe extern "C" fn()) {
        self.set_compare(u64::MAX);
        // SAFETY: the caller's.
        unsafe { software::begin_clock(priority, routine) };
    }
}
