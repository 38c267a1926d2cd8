//! Names that only expansions use.

pub use super::software::{EXTERNAL, Routines, TIMER};
pub use super::trap::Switch;
pub use super::{disable_interrupts, enable_interrupts, set_exception_priority};

/// The core's peripherals.
#[expect(non_snake_case, reason = "the form of the name is that of `cortex-m`")]
#[derive(Debug)]
pub struct Peripherals {
    /// The timer of the platform, for the application's clock.
    pub MTIMER: MTIMER,
}

/// The timer of the platform: `mtime`, and `mtimecmp` of this hart. The application's clock takes
/// it.
#[derive(Debug)]
pub struct MTIMER {
    _private: (),
}

impl MTIMER {
    /// Makes the value, for a program without an application.
    ///
    /// # Safety
    /// No other code uses the timer.
    #[must_use]
    pub const unsafe fn steal() -> Self {
        Self { _private: () }
    }
}

impl Peripherals {
    /// Makes the value.
    ///
    /// # Safety
    /// No other code uses the peripherals.
    #[must_use]
    pub const unsafe fn steal() -> Self {
        Self { MTIMER: MTIMER { _private: () } }
    }
}

/// The exceptions of Cortex-M, so that the message that refuses them is the only one.
#[expect(missing_docs, reason = "the names are those of `cortex-m`")]
#[derive(Clone, Copy, Debug)]
pub enum SystemHandler {
    MemoryManagement,
    BusFault,
    UsageFault,
    SecureFault,
    SVCall,
    DebugMonitor,
    PendSV,
    SysTick,
}

/// The name of an interrupt.
///
/// # Safety
/// As for `cortex-m`: each name has one number, always the same.
pub unsafe trait InterruptNumber: Copy {
    /// Returns the interrupt's number.
    fn number(self) -> u16;
}

/// Does nothing: no guard is below main's stack.
#[inline(always)]
pub const fn protect_main() {}

/// Defines nothing, as there is no time.
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_arrival {
    ($($ceiling:expr)?) => {};
}

/// Leaves a static in `.bss`: the linker script of `riscv-rt` has no section that start-up leaves
/// as it is.
#[doc(hidden)]
#[macro_export]
macro_rules! __uninitialised {
    ($section:literal $($item:tt)*) => {
        $($item)*
    };
}
