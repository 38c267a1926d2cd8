//! The count of ticks, if time is counted tick by tick, and the timers armed since the last tick.
//! The handler of the tick is in `time::counted`; assembly reads the count.

#![expect(unsafe_code, reason = "one context counts, and nodes lie in their users")]

use ::core::mem::offset_of;
use ::core::ptr;
use ::core::sync::atomic::AtomicU32;

use super::Arrivals;
use crate::arch::tick::Count;

/// Software has not pended the interrupt.
pub const NOT: u32 = 0;
/// Software has pended the interrupt, and COUNTFLAG says whether a tick has come since. Also the
/// state before the first tick, in which software must not pend the interrupt, as the tick comes
/// anyway.
pub const BY_SOFTWARE: u32 = 1;
/// Software has pended the interrupt, and a tick has come as well.
pub const BESIDE_A_TICK: u32 = 2;

/// Time as counted ticks.
// SAFETY: the value is put into this static, and begins with the arrivals.
pub static COUNTED: Counted = unsafe { Counted::new((&raw const COUNTED).cast()) };

/// The ticks, and the timers armed since the last tick.
#[repr(C)]
pub struct Counted {
    /// The timers that wait for the next tick.
    pub arrivals: Arrivals,
    /// The number of ticks so far.
    pub count: Count,
    /// Whether the interrupt is pended for a look at the arrivals. Written under the kernel's lock;
    /// or by the handler while the value is not `NOT`, as no other context changes the value then.
    pub pended: AtomicU32,
}

impl Counted {
    /// The offset of the count's lower word, for assembly. The arrivals lie at the beginning.
    pub const COUNT: usize = {
        assert!(offset_of!(Self, arrivals) == 0);
        offset_of!(Self, count)
    };
    /// The offset of the word that says whether software has pended the interrupt: 0 if not.
    #[cfg(target_os = "none")]
    pub const PENDED: usize = offset_of!(Self, pended);

    /// Makes a count of no ticks, without armed timers. `arrivals` is the beginning of the static
    /// that the value is for.
    ///
    /// # Safety
    /// The value is put into that static.
    const unsafe fn new(arrivals: *const Arrivals) -> Self {
        // SAFETY: the caller's.
        let arrivals = unsafe { Arrivals::new(arrivals) };
        Self { arrivals, count: Count::new(), pended: AtomicU32::new(BY_SOFTWARE) }
    }

    /// Returns the present, in ticks. From any context.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        // SAFETY: the count lies there.
        let now = unsafe { Count::get_within::<{ Self::COUNT }>(ptr::from_ref(self).cast()) };
        // SAFETY: a count up to that value takes more than a hundred thousand years.
        unsafe { ::core::hint::assert_unchecked(now < 1 << 63) };
        now
    }
}
