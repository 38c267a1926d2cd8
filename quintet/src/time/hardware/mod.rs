//! Timers of some chips as sources of time: a counter with a compare register is set in a few
//! cycles. A 32-bit counter interrupts the processor once in minutes; SysTick interrupts twice a
//! second.
//!
//! | source | chips | counts |
//! |---|---|---|
//! | [`Lm3sTimers`] | Stellaris, Tiva: `TIMER0` and `TIMER1` | the system clock |
//! | [`NrfTimer0`] | nRF51, nRF52: `TIMER0` | 1 MHz |
//! | [`Stm32Timer`] | STM32: one of `TIM2` to `TIM5` | 1 MHz |
//!
//! You place these sources with [`timer_source`](crate::timer_source). Each file has the few
//! registers of its chip. To add a chip, write one more file of this form.

#![expect(unsafe_code, reason = "registers are read and written")]

mod lm3s;
mod nrf;
mod stm32;

pub use lm3s::Lm3sTimers;
pub use nrf::NrfTimer0;
pub use stm32::{STM32F1_RCC, STM32F4_RCC, STM32L4_RCC, Stm32Timer};

use super::clock::Clock;
use super::driver::Driver;
use super::source::Source;
use crate::arch::{enable, set_interrupt_priority};
use crate::core::lock;

/// A source with an interrupt of the NVIC.
pub trait Hardware: Source {
    /// The number of the source's interrupt.
    const INTERRUPT: u16;

    /// Starts the counter.
    ///
    /// # Safety
    /// Called once; no other code uses the hardware.
    unsafe fn begin();
}

/// Starts a source and its driver. `priority` is the priority byte that the application asks for. A
/// priority above the kernel's ceiling is lowered to the ceiling, as the kernel's lock must hold
/// the handler off.
///
/// # Safety
/// Called once; no other code uses the hardware; the interrupt's handler calls the driver's
/// `on_interrupt`.
pub unsafe fn start<S: Hardware>(driver: &Driver<Clock<S>>, priority: u8) {
    let ceiling = lock::ceiling();
    // SAFETY: the caller's. The interrupt is enabled when everything is ready for it.
    unsafe {
        set_interrupt_priority(S::INTERRUPT, priority.max(ceiling));
        S::begin();
        driver.start();
        enable(S::INTERRUPT);
    }
}

/// A register.
#[derive(Clone, Copy)]
struct Register(usize);

impl Register {
    /// Reads the register.
    ///
    /// # Safety
    /// The chip has the register, with its clock on.
    #[inline(always)]
    unsafe fn read(self) -> u32 {
        // SAFETY: the caller's.
        unsafe { ::core::ptr::with_exposed_provenance::<u32>(self.0).read_volatile() }
    }

    /// Writes the register.
    ///
    /// # Safety
    /// The chip has the register, with its clock on, and `value` has the effect that the caller
    /// wants.
    #[inline(always)]
    unsafe fn write(self, value: u32) {
        // SAFETY: the caller's.
        unsafe { ::core::ptr::with_exposed_provenance_mut::<u32>(self.0).write_volatile(value) };
    }
}

/// Makes a timer of the chip the source of time: defines the handler of the timer's interrupt, and
/// the driver of `embassy-time`.
///
/// Use the macro once, at the top level of a module of your application, with the interrupt's name
/// as in the vector table:
///
/// ```no_run
/// use quintet::time::NrfTimer0;
///
/// quintet::timer_source!(Clock, NrfTimer0, interrupt = TIMER0);
///
/// fn start() {
///     // SAFETY: TIMER0 is used for nothing else. Once, in `init`.
///     unsafe { Clock::start() };
/// }
/// # fn main() {}
/// ```
///
/// You may add a priority: `interrupt = TIMER0, priority = 2, priority_bits = 3`.
///
/// Priorities are as for [`systick_timer`](crate::systick_timer): without a priority, the handler
/// has the kernel's ceiling. The interrupt then belongs to the clock. If a task or a dispatcher
/// uses this interrupt, too, the error names a symbol `A_TASK_AND_QUINTETS_CLOCK_BOTH_BIND_...` or
/// `A_DISPATCHER_AND_...`.
#[macro_export]
macro_rules! timer_source {
    ($(#[$attribute:meta])* $visibility:vis $name:ident, $source:ty,
     interrupt = $handler:ident) => {
        $crate::timer_source!(@define ($(#[$attribute])*) $visibility $name, $source, $handler, 0);
    };
    ($(#[$attribute:meta])* $visibility:vis $name:ident, $source:ty, interrupt = $handler:ident,
     priority = $priority:expr, priority_bits = $bits:expr) => {
        $crate::timer_source!(
            @define ($(#[$attribute])*) $visibility $name, $source, $handler,
            $crate::export::hardware_priority($priority, $bits)
        );
    };
    (@define ($(#[$attribute:meta])*) $visibility:vis $name:ident, $source:ty, $handler:ident,
     $priority:expr) => {
        $(#[$attribute])*
        #[doc = "The source of time."]
        $visibility struct $name;

        const _: () = {
            type __Time = $crate::export::time::Clock<$source>;
            $crate::__time_driver!(__Time, __DRIVER);
            // Not where it is used, which is `unsafe`.
            const __PRIORITY: u8 = $priority;

            impl $name {
                /// Starts the clock.
                ///
                /// # Safety
                /// Called once; no other code uses the timer's hardware.
                $visibility unsafe fn start() {
                    // SAFETY: the caller's; the handler is below.
                    unsafe { $crate::export::time::start_hardware(&__DRIVER, __PRIORITY) }
                }
            }

            $crate::__clock_vector!($handler);

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $handler() {
                // SAFETY: the hardware calls it, and doesn't nest it.
                unsafe { __DRIVER.on_interrupt() }
            }
        };
    };
}
