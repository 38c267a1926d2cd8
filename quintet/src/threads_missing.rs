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

#[doc(hidden)]
#[macro_export]
macro_rules! __no_threads {
    () => {
        ::core::compile_error!(
            "Quintet has no threads on this core, only on ARMv6-M, ARMv7-M, ARMv8-M Mainline and \
             RISC-V (thumbv6m, thumbv7m, thumbv7em, thumbv8m.main, riscv32i). Write an application \
             with `async` tasks, or build for such a core"
        );
    };
}
