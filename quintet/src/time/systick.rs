//! SysTick as the source of time: every Cortex-M has SysTick, and you need no other hardware.

#![expect(unsafe_code, reason = "the timer is started once")]

use super::clock::Clock;
use super::driver::Driver;
use super::source::Source;
use crate::arch::systick;
use crate::core::lock;

/// SysTick counting the processor's clock of `HZ`.
#[derive(Debug)]
pub struct SysTickSource<const HZ: u32>;

impl<const HZ: u32> Source for SysTickSource<HZ> {
    const HZ: u32 = HZ;
    const LEG: u32 = systick::LEG;

    #[inline(always)]
    fn counter() -> u32 {
        systick::counter()
    }

    #[inline(always)]
    fn set(at: u32) {
        systick::set(at);
    }

    /// The exception has no flag to clear.
    #[inline(always)]
    fn acknowledge() -> u32 {
        Self::counter()
    }

    #[inline(always)]
    fn keep_up() -> u32 {
        systick::keep_up()
    }
}

/// Starts SysTick and its driver. `priority` is the priority byte that the application asks for. A
/// priority above the kernel's ceiling is lowered to the ceiling, as the kernel's lock must hold
/// the handler off.
///
/// # Safety
/// Called once; the handler of the exception SysTick calls the driver's `on_interrupt`.
pub unsafe fn start<const HZ: u32>(driver: &Driver<Clock<SysTickSource<HZ>>>, priority: u8) {
    let ceiling = lock::ceiling();
    // SAFETY: the caller's. The first interrupt comes after the driver has started, as a whole
    // round of the counter lies between.
    unsafe {
        systick::start(priority.max(ceiling));
        driver.start();
    }
}

/// Makes SysTick the source of time: defines the handler of SysTick, and the driver of
/// `embassy-time`.
///
/// Use the macro once, at the top level of a module of your application:
///
/// ```no_run
/// quintet::systick_timer!(Clock, 12_000_000); // the name, and the processor's clock
/// # fn main() {}
/// ```
///
/// You may also give a priority, and how many bits of priority the chip has:
///
/// ```no_run
/// quintet::systick_timer!(Clock, 12_000_000, priority = 2, priority_bits = 3);
/// # fn main() {}
/// ```
///
/// You start the clock in `init` by `Clock::start(cx.core.SYST)`: the peripheral proves that no
/// other code uses SysTick.
///
/// Before the start, time is 0 and timers wait. Without a `priority` the handler has the kernel's
/// ceiling, the highest priority that it may have: timers are then as precise as possible. You can
/// give the handler a lower priority if timers may be later: for example the priority of the tasks
/// that timers wake, if their deadlines may wait for other tasks of that priority.
///
/// The vector `SysTick` then belongs to the clock. If a task binds `SysTick` as well, the error
/// names the symbol `A_TASK_AND_QUINTETS_CLOCK_BOTH_BIND_SysTick`.
///
/// The clock must be the processor's clock, and must not change. Time stands still while the
/// processor's clock stands still: in deep sleep, and while a debugger halts the core.
///
/// Never hold the handler off for more than 2^23 cycles (50 ms at 168 MHz), or time goes wrong.
/// Even if no timer waits, the handler runs every 2^23 cycles.
#[macro_export]
macro_rules! systick_timer {
    ($(#[$attribute:meta])* $visibility:vis $name:ident, $hz:expr) => {
        $crate::systick_timer!(@define ($(#[$attribute])*) $visibility $name, $hz, 0);
    };
    ($(#[$attribute:meta])* $visibility:vis $name:ident, $hz:expr,
     priority = $priority:expr, priority_bits = $bits:expr) => {
        $crate::systick_timer!(
            @define ($(#[$attribute])*) $visibility $name, $hz,
            $crate::export::hardware_priority($priority, $bits)
        );
    };
    (@define ($(#[$attribute:meta])*) $visibility:vis $name:ident, $hz:expr, $priority:expr) => {
        $(#[$attribute])*
        #[doc = "The source of time: SysTick."]
        $visibility struct $name;

        const _: () = {
            type __Time = $crate::export::time::Clock<$crate::export::time::SysTickSource<{ $hz }>>;
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
                    unsafe { $crate::export::time::start_systick(&__DRIVER, __PRIORITY) }
                }
            }

            $crate::__clock_vector!(SysTick);

            #[unsafe(no_mangle)]
            unsafe extern "C" fn SysTick() {
                // SAFETY: the hardware calls it, and doesn't nest it.
                unsafe { __DRIVER.on_interrupt() }
            }
        };
    };
}
