//! SysTick as a tick: it interrupts at `embassy-time`'s tick rate, and time is what has been
//! counted.
//!
//! Nothing is set when a timer is armed. The handler counts each tick, and looks at two words:
//! whether anything has been armed since the last, and whether the count is the queue's alarm. That
//! is a word equal to another one, as no tick is left out:
//!
//! ```text
//!   tick      ... 41 ───── 42 ───── 43 ───── 44 ...   the handler: count, look, return
//!   alarm                           43                expiry
//!   armed for 42     └─> 42                           expiry
//!   armed for 44     └─> 42 into the queue
//!   armed for 41     └─> too late: expiry at once
//! ```
//!
//! What is armed for a tick that has just passed would wait for the next: whoever arms it compares
//! it with the count, under the lock, and pends the interrupt. The handler then must not count:
//! COUNTFLAG tells it whether a tick has come as well.

#![expect(unsafe_code, reason = "the tick is started once, and counted by one context")]

use ::core::hint::cold_path;
#[cfg(target_os = "none")]
use ::core::mem::offset_of;
use ::core::sync::atomic::{AtomicU32, Ordering, compiler_fence};

use super::driver::Driver;
use super::timebase::Timebase;
use crate::arch::mask;
use crate::arch::tick::{self, Count};
use crate::core::lock::{Kernel, kernel};
use crate::core::timer::{Arrivals, Node, QUEUE, Queue};

#[cfg(test)]
mod tests;

/// Nobody has pended the interrupt.
const NOT: u32 = 0;
/// Software has. COUNTFLAG says whether a tick has come since.
const BY_SOFTWARE: u32 = 1;
/// Software has, beside a tick.
const BESIDE_A_TICK: u32 = 2;

/// Time as it is counted.
// SAFETY: it is put into this static, and begins with the arrivals.
pub static COUNTED: Counted = unsafe { Counted::new((&raw const COUNTED).cast()) };

/// The longest delay: longer than time, and no sum with the present is too large.
pub const LONGEST: u64 = u64::MAX / 2;

/// The ticks, and what has been armed since the last.
#[repr(C)]
pub struct Counted {
    /// What waits for the next tick.
    pub arrivals: Arrivals,
    count: Count,
    /// Whether the interrupt is pended for a look at what has arrived. Written under the kernel's
    /// lock, or by the handler when it is not [`NOT`], which nobody else changes then.
    pended: AtomicU32,
}

impl Counted {
    /// Where the count is, for assembly: its lower word.
    #[cfg(target_os = "none")]
    pub const COUNT: usize = offset_of!(Self, count);
    /// Where it stands whether software has pended the interrupt: 0 if not.
    #[cfg(target_os = "none")]
    pub const PENDED: usize = offset_of!(Self, pended);

    /// No tick, and nothing armed. `arrivals` is the beginning of the static that this is for.
    ///
    /// # Safety
    /// It is put there.
    const unsafe fn new(arrivals: *const Arrivals) -> Self {
        // SAFETY: the caller's.
        let arrivals = unsafe { Arrivals::new(arrivals) };
        Self { arrivals, count: Count::new(), pended: AtomicU32::new(NOT) }
    }

    /// The present, in ticks. From any context.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        let now = self.count.get();
        // SAFETY: to count that far takes more than a hundred thousand years.
        unsafe { ::core::hint::assert_unchecked(now < 1 << 63) };
        now
    }

    /// Arms `node`, whose deadline is `deadline`. Whether that has passed: then the handler is to
    /// [look at once](Self::look_at_once).
    ///
    /// # Safety
    /// As for [`Arrivals::arrive`].
    #[inline(always)]
    #[must_use]
    pub unsafe fn arm(&self, kernel: &Kernel<'_>, node: &Node, deadline: u64) -> bool {
        // SAFETY: the caller's.
        unsafe { self.arrivals.arrive(kernel, node) };
        deadline <= self.now()
    }

    /// Lets the handler look at what has arrived at once.
    #[cold]
    #[inline(never)]
    pub fn look_at_once(&self, _kernel: &Kernel<'_>) {
        if self.pended.load(Ordering::Relaxed) != NOT {
            return;
        }
        // A tick that ends up to here is pending, or the handler has begun to count it; one behind
        // has the flag.
        tick::take_ended();
        let pended = if tick::is_pending() { BESIDE_A_TICK } else { BY_SOFTWARE };
        self.pended.store(pended, Ordering::Relaxed);
        tick::pend();
    }

    /// Counts the tick that has come. Whether the driver's handler has anything to do. First thing
    /// in the interrupt's handler.
    ///
    /// # Safety
    /// Called from the handler only, which is one context.
    #[inline(always)]
    #[must_use]
    pub unsafe fn tick(&self) -> bool {
        if self.pended.load(Ordering::Relaxed) != NOT {
            cold_path();
            // SAFETY: the caller's.
            unsafe { self.count_if_one_has_come() };
            return true;
        }
        // SAFETY: the caller's.
        let low = unsafe { self.count.up() };
        // Behind the count: who arms meanwhile has seen the tick.
        !self.arrivals.is_empty() || QUEUE.is_due(low.into())
    }

    /// The interrupt was pended for a look: counts the tick, if one has come.
    ///
    /// # Safety
    /// As for [`tick`](Self::tick).
    #[inline(always)]
    unsafe fn count_if_one_has_come(&self) {
        // While it is pended, nobody else takes COUNTFLAG. A tick that has ended since the handler
        // was entered is pending, and counted by the next.
        let beside = self.pended.load(Ordering::Relaxed) == BESIDE_A_TICK;
        let has_come = tick::take_ended() && !tick::is_pending() || beside;
        compiler_fence(Ordering::SeqCst);
        self.pended.store(NOT, Ordering::Relaxed);
        if has_come {
            // SAFETY: the caller's.
            unsafe { self.count.up() };
        }
    }
}

/// Ticks of a processor's clock of `HZ`: [`COUNTED`].
pub struct Ticks<const HZ: u32>;

impl<const HZ: u32> Ticks<HZ> {
    /// The cycles from one tick to the next.
    const PERIOD: u32 = {
        let tick_hz = embassy_time_driver::TICK_HZ;
        assert!(
            (HZ as u64).is_multiple_of(tick_hz),
            "the processor's clock is no multiple of embassy-time's tick rate: select another one \
             with a feature `tick-hz-...` of the crate embassy-time"
        );
        let period = HZ as u64 / tick_hz;
        assert!(
            period >= 256,
            "embassy-time's ticks are too short to interrupt in each, below 256 cycles of the \
             processor: select a feature such as `tick-hz-1_000` of the crate embassy-time"
        );
        assert!(
            period <= tick::PERIOD_MAX as u64,
            "embassy-time's ticks are too long for SysTick, above 2^24 cycles of the processor: \
             select a feature such as `tick-hz-1_000` of the crate embassy-time"
        );
        period as u32
    };

    /// They have not started: none.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it is for a static")]
    pub const fn new() -> Self {
        Self
    }
}

impl<const HZ: u32> Timebase for Ticks<HZ> {
    type Setting = ();
    /// In ticks.
    type Present = u64;
    const IS_COUNTED: bool = true;

    #[inline(always)]
    fn now(&self) -> u64 {
        COUNTED.now()
    }

    /// What is armed waits for the first tick.
    unsafe fn begin(&self) {
        // Nothing is in the queue: the alarm becomes the end of time.
        let _nothing = kernel(|token| QUEUE.look(token, 0, u64::MAX));
    }

    #[inline(always)]
    fn setting(&self, _deadline: u64) {}

    /// Nothing is set: but if the deadline has passed, the handler looks at once.
    #[inline(always)]
    fn lower(&self, kernel: &Kernel<'_>, _queue: &Queue, deadline: u64, (): ()) {
        if deadline <= COUNTED.now() {
            COUNTED.look_at_once(kernel);
        }
    }

    #[inline(always)]
    unsafe fn enter(&self) -> u64 {
        COUNTED.now()
    }

    #[inline(always)]
    fn ticks(now: u64) -> (u64, u64) {
        (now, u64::MAX)
    }

    /// The alarm is all that there is to be set.
    #[inline(always)]
    fn leave(&self, _queue: &Queue, _present: u64, _next: u64) {}
}

/// Starts SysTick and its driver. `priority` is the priority byte that the application wants: a
/// more urgent one than the kernel's ceiling is lowered to it, as the kernel's lock must hold the
/// handler off.
///
/// # Safety
/// Called once; the handler of the exception SysTick calls [`Counted::tick`], and the driver's
/// `on_interrupt` if that says so.
pub unsafe fn start<const HZ: u32>(driver: &Driver<Ticks<HZ>>, priority: u8) {
    let ceiling = kernel(|_| mask::held_priority());
    // SAFETY: the caller's.
    unsafe {
        tick::start(const { Ticks::<HZ>::PERIOD }, priority.max(ceiling));
        driver.start();
    }
}

/// Makes SysTick the source of time, as a tick: defines its handler, and the driver of
/// `embassy-time`.
///
/// SysTick interrupts at `embassy-time`'s tick rate, and time is the number of ticks that were
/// counted. Nothing is set in hardware when a timer is armed, so that delays and timers take fewer
/// instructions than over [`systick_timer`](crate::systick_timer), and time is only as fine as a
/// tick. Use it once, at the top level of a module of the application:
///
/// ```no_run
/// quintet::systick_tick!(Clock, 480_000_000); // the name, and the processor's clock
/// # fn main() {}
/// ```
///
/// with a tick rate that suits it, in Cargo.toml: `embassy-time = { version = "0.5", features =
/// ["tick-hz-1_000"] }`. The clock must be a whole multiple of the rate, and a tick takes from 256
/// to 2^24 cycles; other rates are refused where the clock is started. A priority of the
/// application's stands behind that, `priority = 2, priority_bits = 3`, as for
/// [`systick_timer`](crate::systick_timer), and the start is the same: `Clock::start(cx.core.SYST)`
/// in `init`. The vector `SysTick` is then the clock's.
///
/// A delay of n ticks ends with the n-th tick from now on: it lasts more than n - 1 ticks, and n at
/// most. What is armed for a tick that has passed meanwhile comes at once, not with the next.
///
/// Each tick takes 16 instructions and the entry and return of an exception, and ends the
/// processor's sleep. The handler must not be held off for a whole tick: that one would not be
/// counted, and time would be late by it for ever. So it is while a debugger halts the core, and in
/// deep sleep. Who pends the exception SysTick adds a tick: it is the clock's.
#[macro_export]
macro_rules! systick_tick {
    ($(#[$attribute:meta])* $visibility:vis $name:ident, $hz:expr) => {
        $crate::systick_tick!(@define ($(#[$attribute])*) $visibility $name, $hz, 0);
    };
    ($(#[$attribute:meta])* $visibility:vis $name:ident, $hz:expr,
     priority = $priority:expr, priority_bits = $bits:expr) => {
        $crate::systick_tick!(
            @define ($(#[$attribute])*) $visibility $name, $hz,
            $crate::export::hardware_priority($priority, $bits)
        );
    };
    (@define ($(#[$attribute:meta])*) $visibility:vis $name:ident, $hz:expr, $priority:expr) => {
        $(#[$attribute])*
        #[doc = "The source of time: SysTick, as a tick."]
        $visibility struct $name;

        const _: () = {
            type Time = $crate::export::time::Ticks<{ $hz }>;
            $crate::__time_driver!(Time, DRIVER);

            impl $name {
                /// Starts the clock.
                ///
                /// `_syst` is the peripheral: SysTick is the clock's from now on.
                $visibility fn start(_syst: $crate::export::SYST) {
                    // SAFETY: the peripheral exists once, so this is called once; the handler is
                    // below.
                    unsafe {
                        $crate::export::time::start_systick_tick(&DRIVER, const { $priority });
                    }
                }
            }

            $crate::__clock_vector!(SysTick);

            $crate::__tick_handler!(SysTick, on_tick, on_arrival, on_alarm);

            extern "C" fn on_tick() {
                // SAFETY: called by the handler only, as its first thing.
                if unsafe { $crate::export::time::COUNTED.tick() } {
                    on_arrival();
                }
            }

            extern "C" fn on_arrival() {
                // SAFETY: called by the handler only.
                unsafe { DRIVER.on_interrupt() }
            }

            extern "C" fn on_alarm() {
                // SAFETY: called by the handler only.
                unsafe { DRIVER.on_alarm() }
            }
        };
    };
}
