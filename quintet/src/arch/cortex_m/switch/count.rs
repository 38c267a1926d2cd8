//! Counting switches, for the feature `statistics`; nothing without it.

#[cfg(feature = "statistics")]
use crate::core::record::{offset, statistics::STATISTICS};

/// Counts the switch to the thread in r0, with the kernel's lock held; r2 to r5, r12 and lr change,
/// or with `kept` only r2, r3 and r12. With `with_lock` it takes the lock, which no context has. A
/// literal is a line that is needed only for counting.
#[cfg(feature = "statistics")]
#[doc(hidden)]
#[macro_export]
macro_rules! __count {
    () => {
        "bl __quintet_count\n"
    };
    (kept) => {
        "
        push {{r4, r5, lr}}
        bl __quintet_count
        pop {{r4, r5, lr}}
        "
    };
    (with_lock) => {
        concat!(
            $crate::__take_lock!(),
            "
            bl __quintet_count
            movs r3, #0
            msr BASEPRI, r3
            "
        )
    };
    ($line:literal) => {
        $line
    };
}

/// Nothing is counted.
#[cfg(not(feature = "statistics"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __count {
    ($($any:tt)?) => {
        ""
    };
}

/// Adds the time since the last switch to the thread that owns this time, and counts the switch to
/// the thread in r0. The kernel's lock is held. r0 and r1 stay; r2 to r5 and r12 change.
#[cfg(feature = "statistics")]
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_count() {
    ::core::arch::naked_asm!(
        "movw r2, #:lower16:{statistics}",
        "movt r2, #:upper16:{statistics}",
        "ldr r3, [r2, #{counter}]",
        "ldrd r4, r5, [r2]",                  // the clock at the last switch
        "ldr r3, [r3]",                       // r3 = now
        "subs r12, r3, r4",                   // r12 = the time since
        "adds r4, r4, r12",
        "adc r5, r5, #0",
        "strd r4, r5, [r2]",
        "ldr r3, [r2, #{counted}]",           // r3 = its thread
        "str r0, [r2, #{counted}]",
        "ldrd r4, r5, [r3, #{cycles}]",
        "adds r4, r4, r12",
        "adc r5, r5, #0",
        "strd r4, r5, [r3, #{cycles}]",
        "ldr r3, [r0, #{switches}]",
        "adds r3, #1",
        "str r3, [r0, #{switches}]",
        "bx lr",
        statistics = sym STATISTICS,
        counter = const offset::COUNTER,
        counted = const offset::COUNTED,
        cycles = const offset::CYCLES,
        switches = const offset::SWITCHES,
    )
}
