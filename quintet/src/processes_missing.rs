//! Without processes: the macro that makes them, so that the error gives the reason.

/// Refuses processes, as the feature `processes` is off, or the target can't have processes.
#[macro_export]
macro_rules! processes {
    ($($any:tt)*) => {
        ::core::compile_error!(
            "there are no processes here: they need the feature `processes` of quintet, and an \
             ARMv7-M or ARMv8-M Mainline processor (thumbv7m, thumbv7em, thumbv8m.main) with a \
             memory protection unit, or a RISC-V one (riscv32i..) with physical memory protection"
        );
    };
}
