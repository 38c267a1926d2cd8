//! SysTick as a tick: SysTick interrupts at `embassy-time`'s tick rate, and time is the number of
//! [counted](super::counted) ticks.

#![expect(unsafe_code, reason = "the tick is started once")]

use super::counted::COUNTED;
use super::driver::Driver;
use super::timebase::Timebase;
use crate::arch::tick;
use crate::core::lock::{self, KernelLock};
use crate::core::timer::Queue;

/// Ticks of a processor's clock of `HZ`: [`COUNTED`].
#[derive(Debug)]
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

    /// Ticks that have not started.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it is for a static")]
    pub const fn new() -> Self {
        Self
    }
}

impl<const HZ: u32> Timebase for Ticks<HZ> {
    type Setting = ();
    const IS_COUNTED: bool = true;

    #[inline(always)]
    fn now(&self) -> u64 {
        COUNTED.now()
    }

    /// Armed timers wait for the first tick, which looks at the arrivals, and sets the alarm.
    unsafe fn begin(&self) {}

    #[inline(always)]
    fn setting(&self, _deadline: u64) {}

    /// No hardware is set: the deadline has passed, and the handler looks at once.
    #[inline(always)]
    fn lower(&self, kernel: &KernelLock<'_>, _queue: &Queue, _deadline: u64, (): ()) {
        COUNTED.look_at_once(kernel);
    }

    /// A tick that comes while the handler runs is counted afterwards. A second such tick is lost.
    unsafe fn keep_up(&self) {}
}

/// Starts SysTick and its driver. `priority` is the priority byte that the application asks for. A
/// priority above the kernel's ceiling is lowered to the ceiling, as the kernel's lock must hold
/// the handler off.
///
/// # Safety
/// Called once; the handler of the exception SysTick counts.
pub unsafe fn start<const HZ: u32>(driver: &Driver<Ticks<HZ>>, priority: u8) {
    let ceiling = lock::ceiling();
    // SAFETY: the caller's.
    unsafe {
        driver.start();
        tick::start(const { Ticks::<HZ>::PERIOD }, priority.max(ceiling));
    }
}

/// Makes SysTick the source of time, as a tick: defines the handler of SysTick, and the driver of
/// `embassy-time`.
///
/// SysTick interrupts at `embassy-time`'s tick rate, and time is the number of ticks so far. Arming
/// a timer sets no hardware, so that delays and timers take fewer instructions than over
/// [`systick_timer`](crate::systick_timer). In exchange, time is only as fine as a tick. Use the
/// macro once, at the top level of a module of your application:
///
/// ```no_run
/// quintet::systick_tick!(Clock, 480_000_000); // the name, and the processor's clock
/// # fn main() {}
/// ```
///
/// Choose a suitable tick rate in Cargo.toml:
/// `embassy-time = { version = "0.5", features = ["tick-hz-1_000"] }`. The clock must be a whole
/// multiple of the rate, and a tick takes from 256 to 2^24 cycles; where you start the clock, the
/// compiler refuses other rates. You may add a priority, `priority = 2, priority_bits = 3`, as for
/// [`systick_timer`](crate::systick_timer), and you start the clock in the same way:
/// `Clock::start(cx.core.SYST)` in `init`. The vector `SysTick` then belongs to the clock.
///
/// A delay of n ticks ends with the n-th tick from now on: the delay lasts more than n - 1 ticks,
/// and n at most. A timer for a tick that has passed in the meantime comes at once, not with the
/// next tick. No timer comes before the first tick.
///
/// Each tick takes 16 instructions and the entry and return of an exception, and ends the
/// processor's sleep. Never hold the handler off for a whole tick: that tick would not be counted,
/// and time would be late by a tick for ever. The same happens while a debugger halts the core, and
/// in deep sleep. Never pend the exception SysTick: that would add a tick.
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
            type __Time = $crate::export::time::Ticks<{ $hz }>;
            $crate::__time_driver!(__Time, __DRIVER);
            // Not where it is used, which is `unsafe`.
            const __PRIORITY: u8 = $priority;

            impl $name {
                /// Starts the clock.
                ///
                /// `_syst` is the peripheral: SysTick belongs to the clock from now on.
                $visibility fn start(_syst: $crate::export::SYST) {
                    // SAFETY: the peripheral exists once, so this is called once; the handler is
                    // below.
                    unsafe {
                        $crate::export::time::start_systick_tick(&__DRIVER, __PRIORITY);
                    }
                }
            }

            $crate::__clock_vector!(SysTick);

            $crate::__tick_handler!(SysTick);
        };
    };
}
