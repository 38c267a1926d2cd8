//! The timer of a RISC-V platform as the source of time: `mtime` and `mtimecmp`.

#![expect(unsafe_code, reason = "the timer is started once")]

use super::clock::Clock;
use super::driver::Driver;
use super::source::Source;
use crate::arch::timer::{self, Clint};

/// The timer of the core-local interruptor at `CLINT`, which counts `HZ`.
#[derive(Debug)]
pub struct MachineTimerSource<const HZ: u32, const CLINT: usize>;

impl<const HZ: u32, const CLINT: usize> Source for MachineTimerSource<HZ, CLINT> {
    const HZ: u32 = HZ;
    const LEG: u32 = timer::LEG;

    #[inline(always)]
    fn counter() -> u32 {
        Clint(CLINT).counter()
    }

    #[inline(always)]
    fn set(at: u32) {
        Clint(CLINT).set(at);
    }

    /// The interrupt ends when a later time is set.
    #[inline(always)]
    fn acknowledge() -> u32 {
        Self::counter()
    }
}

/// Starts the timer and its driver, at the priority `priority` of the controller.
///
/// # Safety
/// Called once; `routine` calls the driver's `on_interrupt`.
pub unsafe fn start<const HZ: u32, const CLINT: usize>(
    driver: &Driver<Clock<MachineTimerSource<HZ, CLINT>>>,
    priority: u8,
    routine: unsafe extern "C" fn(),
) {
    // SAFETY: the caller's. Before the driver has started, the timer is far from any time.
    unsafe {
        Clint(CLINT).start(priority, routine);
        driver.start();
    }
}

/// Makes the timer of the platform the source of time: serves the interrupt `MachineTimer`, and
/// defines the driver of `embassy-time`.
///
/// Use the macro once, at the top level of a module of your application, with the frequency of
/// `mtime` and the address of the core-local interruptor, both from the chip's manual. On QEMU's
/// `virt` they are:
///
/// ```text
/// quintet::machine_timer!(Clock, 10_000_000, clint = 0x0200_0000);
/// ```
///
/// `mtimecmp` of hart 0 is 0x4000 behind that address, and `mtime` 0xbff8, as in SiFive's. You
/// start the clock in `init` by `Clock::start(cx.core.MTIMER)`: the peripheral proves that no other
/// code uses the timer. Before the start, time is 0 and timers wait.
///
/// The handler has the highest priority, so that timers are as precise as possible. You may give
/// another one, from 1 to 31: `clint = 0x0200_0000, priority = 2`. In an application with threads,
/// the handler's priority is among those above all threads: 2 is the lowest level's.
///
/// The interrupt `MachineTimer` then belongs to the clock. If a task binds it as well, the error
/// names the symbol `A_TASK_AND_QUINTETS_CLOCK_BOTH_BIND_MachineTimer`.
///
/// `mtime` counts at a constant rate of its own, also while the hart sleeps. If a count of `mtime`
/// is a tick of `embassy-time`, time begins with the lower word of `mtime` at the start; otherwise
/// it begins with 0. Never hold the handler off for more than 2^30 counts (107 s at 10 MHz).
#[macro_export]
macro_rules! machine_timer {
    ($(#[$attribute:meta])* $visibility:vis $name:ident, $hz:expr, clint = $clint:expr $(,)?) => {
        $crate::machine_timer!(@define ($(#[$attribute])*) $visibility $name, $hz, $clint, 31);
    };
    ($(#[$attribute:meta])* $visibility:vis $name:ident, $hz:expr, clint = $clint:expr,
     priority = $priority:expr $(,)?) => {
        $crate::machine_timer!(
            @define ($(#[$attribute])*) $visibility $name, $hz, $clint, $priority
        );
    };
    (@define ($(#[$attribute:meta])*) $visibility:vis $name:ident, $hz:expr, $clint:expr,
     $priority:expr) => {
        $(#[$attribute])*
        #[doc = "The source of time: the timer of the platform."]
        $visibility struct $name;

        const _: () = {
            type __Time = $crate::export::time::Clock<
                $crate::export::time::MachineTimerSource<{ $hz }, { $clint }>
            >;
            $crate::__time_driver!(__Time, __DRIVER);
            // Not where it is used, which is `unsafe`.
            const __PRIORITY: u8 = $priority;
            const {
                ::core::assert!(
                    1 <= __PRIORITY && __PRIORITY <= 31,
                    "the priority of the clock is from 1 to 31"
                );
            }

            impl $name {
                /// Starts the clock.
                ///
                /// `_timer` is the peripheral: the timer belongs to the clock from now on.
                $visibility fn start(_timer: $crate::riscv::MTIMER) {
                    unsafe extern "C" fn __on_interrupt() {
                        // SAFETY: the trap calls it, and doesn't nest it.
                        unsafe { __DRIVER.on_interrupt() }
                    }
                    // SAFETY: the peripheral exists once, so this is called once.
                    unsafe {
                        $crate::export::time::start_machine_timer(
                            &__DRIVER, __PRIORITY, __on_interrupt,
                        );
                    }
                }
            }

            $crate::__clock_vector!(MachineTimer);
        };
    };
    ($(#[$attribute:meta])* $visibility:vis $name:ident $($other:tt)*) => {
        ::core::compile_error!(
            "this is written `machine_timer!(Clock, 10_000_000, clint = 0x0200_0000)`: the \
             frequency of `mtime`, and the address of the core-local interruptor, which are in the \
             chip's manual"
        );

        $visibility struct $name;

        impl $name {
            #[allow(dead_code)]
            $visibility fn start<T>(_: T) {}
        }
    };
}
