//! Names that only expansions use: those of the crate `cortex-m`, and masks and priorities at
//! start-up.

pub use cortex_m::{
    Peripherals,
    asm::wfi,
    interrupt,
    interrupt::InterruptNumber,
    peripheral::{DWT, NVIC, SCB, SYST, scb::SystemHandler},
};

pub use super::{disable_interrupts, enable_interrupts, set_exception_priority};

/// Guards main's stack, if the guard is enabled. The first call at start-up.
#[inline(always)]
pub fn protect_main() {
    #[cfg(main_guard)]
    super::main_guard::protect();
}

/// Defines nothing: the vector table of `cortex-m-rt` finds the routines of interrupts by their
/// names.
#[doc(hidden)]
#[macro_export]
macro_rules! __vectors {
    ($($any:tt)*) => {};
}

/// Puts a static into the section `$section`, which start-up leaves as it is.
#[doc(hidden)]
#[macro_export]
macro_rules! __uninitialised {
    ($section:literal $($item:tt)*) => {
        #[unsafe(link_section = $section)]
        $($item)*
    };
}

/// Defines nothing: what switches threads after interrupts is an exception.
#[doc(hidden)]
#[macro_export]
macro_rules! __without_switches {
    () => {};
}
