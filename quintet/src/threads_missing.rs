//! On a core without threads: the macros that make them, so that the error gives the reason.

/// Refuses a kernel for threads.
#[macro_export]
macro_rules! kernel {
    ($($any:tt)*) => {
        $crate::__no_threads!();
    };
}

/// Refuses a thread.
#[macro_export]
macro_rules! thread {
    ($($any:tt)*) => {
        $crate::__no_threads!();
    };
}

/// Says that threads aren't there yet.
#[cfg(riscv32)]
#[doc(hidden)]
#[macro_export]
macro_rules! __no_threads {
    () => {
        ::core::compile_error!(
            "on RISC-V Quintet has no threads yet: write an application with `async` tasks, or \
             build for ARMv7-M or ARMv8-M Mainline (thumbv7m, thumbv7em, thumbv8m.main)"
        );
    };
}

/// Says what threads need.
#[cfg(not(riscv32))]
#[doc(hidden)]
#[macro_export]
macro_rules! __no_threads {
    () => {
        ::core::compile_error!(
            "this core has no threads. Switching them takes a mask by priority, BASEPRI, which \
             ARMv7-M and ARMv8-M Mainline have (thumbv7m, thumbv7em, thumbv8m.main). Write an \
             application with `async` tasks, or build for such a core"
        );
    };
}
