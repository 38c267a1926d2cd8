//! Marks: symbols at points of the code.
//!
//! The rows of `scenarios/*.toml` name the marks that they measure between. A mark is a label of no
//! size, so that firmware runs as if it were not there. With the feature `halting` it is a label on
//! a BKPT, for measurements by a debugger that halts the processor at each mark.

// The compiler may make several copies of code with a mark in it. The first copy's label is the
// mark's name; further ones have a number behind it, which the tool knows.
core::arch::global_asm!(
    ".macro quintet_mark name",
    ".ifndef \\name",
    "\\name:",
    ".else",
    ".ifndef \\name\\().0",
    "\\name\\().0:",
    ".else",
    ".ifndef \\name\\().1",
    "\\name\\().1:",
    ".else",
    ".ifndef \\name\\().2",
    "\\name\\().2:",
    ".else",
    ".ifndef \\name\\().3",
    "\\name\\().3:",
    ".else",
    ".ifndef \\name\\().4",
    "\\name\\().4:",
    ".else",
    ".ifndef \\name\\().5",
    "\\name\\().5:",
    ".else",
    ".ifndef \\name\\().6",
    "\\name\\().6:",
    ".else",
    ".ifndef \\name\\().7",
    "\\name\\().7:",
    ".else",
    ".error \"more copies of a mark than the macro has names for\"",
    ".endif",
    ".endif",
    ".endif",
    ".endif",
    ".endif",
    ".endif",
    ".endif",
    ".endif",
    ".endif",
    ".endm",
);

/// Puts a mark here. All copies that the compiler makes of it are the same mark.
#[macro_export]
macro_rules! mark {
    ($name:literal) => {
        // SAFETY: there is no instruction, or a BKPT, which a debugger skips.
        unsafe {
            ::core::arch::asm!($crate::copied_text!($name), options(nostack, preserves_flags))
        }
    };
}

/// The assembly text of a mark that may be copied.
#[cfg(feature = "halting")]
#[macro_export]
macro_rules! copied_text {
    ($name:literal) => {
        concat!("quintet_mark ", $name, "\nbkpt #0")
    };
}

/// The assembly text of a mark that may be copied.
#[cfg(not(feature = "halting"))]
#[macro_export]
macro_rules! copied_text {
    ($name:literal) => {
        concat!("quintet_mark ", $name)
    };
}

/// The assembly text of a mark, for code that is assembly already.
#[cfg(feature = "halting")]
#[macro_export]
macro_rules! mark_text {
    ($name:literal) => {
        concat!($name, ": bkpt #0")
    };
}

/// The assembly text of a mark, for code that is assembly already.
#[cfg(not(feature = "halting"))]
#[macro_export]
macro_rules! mark_text {
    ($name:literal) => {
        concat!($name, ":")
    };
}

/// The assembly text of a mark behind a store that pends an interrupt, where the preempted task
/// goes on. One instruction behind the store completes before the processor takes the exception; a
/// BKPT does not.
#[cfg(feature = "halting")]
#[macro_export]
macro_rules! preempted_text {
    ($name:literal) => {
        concat!($name, ": bkpt #0")
    };
}

/// The assembly text of a mark behind a store that pends an interrupt, where the preempted task
/// goes on. One instruction behind the store completes before the processor takes the exception; a
/// BKPT does not.
#[cfg(not(feature = "halting"))]
#[macro_export]
macro_rules! preempted_text {
    ($name:literal) => {
        concat!("nop\n", $name, ":")
    };
}

/// Pends an interrupt between two marks: one on the store, one where the interrupted code goes on.
/// `SysTick` is the exception of that name.
#[cfg(target_arch = "arm")]
#[macro_export]
macro_rules! pend {
    ($before:literal, $after:literal, SysTick) => {
        $crate::pend!($before, $after, 1 << 26 => $crate::device::SCB_ICSR)
    };
    ($before:literal, $after:literal, $interrupt:expr) => {
        $crate::pend!(
            $before, $after,
            1_u32 << ($interrupt as u32 % 32)
                => $crate::device::NVIC_ISPR + $interrupt as u32 / 32 * 4
        )
    };
    ($before:literal, $after:literal, $bit:expr => $register:expr) => {
        // SAFETY: the store only pends the interrupt, whose handler may run at any time.
        #[expect(named_asm_labels, reason = "the labels are the marks")]
        unsafe {
            ::core::arch::asm!(
                concat!($before, ":"),
                "str {bit}, [{register}]",
                $crate::preempted_text!($after),
                bit = in(reg) $bit,
                register = in(reg) $register,
                options(nostack, preserves_flags)
            )
        }
    };
}
