//! Names that only expansions use.

pub use super::software::{Vector, serve};
pub use super::{disable_interrupts, enable_interrupts, set_exception_priority};

/// The core's peripherals: a hart has none that code could own.
#[derive(Debug)]
pub struct Peripherals {
    _private: (),
}

impl Peripherals {
    /// Makes the value.
    ///
    /// # Safety
    /// None: the name is that of `cortex-m`.
    #[must_use]
    pub const unsafe fn steal() -> Self {
        Self { _private: () }
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
