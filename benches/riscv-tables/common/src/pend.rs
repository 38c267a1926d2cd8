//! Pending an interrupt between two marks.

/// Pends an interrupt between two marks: one before all of it, one where the interrupted code goes
/// on. On a Cortex-M this is a store. Here it is what the kernel's controller in software does.
#[macro_export]
macro_rules! pend {
    ($before:literal, $after:literal, $interrupt:expr) => {{
        $crate::mark!($before);
        $crate::device::pend($interrupt);
        $crate::mark!($after);
    }};
}
