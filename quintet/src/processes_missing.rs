//! Without processes: the macro that makes them, so that the error gives the reason.

/// Refuses processes, as the feature `processes` is off, or the target can't have processes.
#[macro_export]
macro_rules! processes {
    ($($any:tt)*) => {
        ::core::compile_error!(
            "there are no processes here: they need the feature `processes` of quintet, and a \
             processor with memory protection: an ARMv7-M, an ARMv8-M Mainline or a Cortex-M0+ \
             (thumbv7m, thumbv7em, thumbv8m.main, thumbv6m), or a RISC-V one (riscv32i..)"
        );
    };
}
