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
        "bl __quintet_count\n" // the time until now, and r0's switch
    };
    (kept) => {
        "
        push {{r4, r5, lr}}                   // the counting changes these
        bl __quintet_count                    // the time until now, and the switch of r0
        pop {{r4, r5, lr}}                    // they are as before
        "
    };
    (with_lock) => {
        concat!(
            $crate::__take_lock!(),
            "
            bl __quintet_count                // the time until now, and the switch of r0
            movs r3, #0                       // no context had a mask
            msr BASEPRI, r3                   // the lock ends
            "
        )
    };
    ($line:literal) => {
        $line
    };
}

/// Returns from the counting of a switch. With the recorder, which writes the switch, by its way.
#[cfg(all(feature = "statistics", feature = "recorder"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __counted {
    () => {
        "b __quintet_record_switch"
    };
}

/// Returns from the counting of a switch.
#[cfg(all(feature = "statistics", not(feature = "recorder")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __counted {
    () => {
        "bx lr"
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
        "movw r2, #:lower16:{statistics}",    // r2 = the record of all threads
        "movt r2, #:upper16:{statistics}",    // the upper half of the address
        "ldr r3, [r2, #{counter}]",           // r3 = the address of the counter
        "ldrd r4, r5, [r2]",                  // the clock at the last switch
        "ldr r3, [r3]",                       // r3 = now
        "subs r12, r3, r4",                   // r12 = the time since
        "adds r4, r4, r12",                   // the clock goes on by this,
        "adc r5, r5, #0",                     // with the carry to the upper word
        "strd r4, r5, [r2]",                  // the clock at this switch
        "ldr r3, [r2, #{counted}]",           // r3 = its thread
        "str r0, [r2, #{counted}]",           // the next time is the new thread's
        "ldrd r4, r5, [r3, #{cycles}]",       // the time that it has run so far
        "adds r4, r4, r12",                   // and since the last switch
        "adc r5, r5, #0",                     // with the carry to the upper word
        "strd r4, r5, [r3, #{cycles}]",       // its time until this switch
        "ldr r3, [r0, #{switches}]",          // the number of switches to r0
        "adds r3, #1",                        // one more
        "str r3, [r0, #{switches}]",          // is noted
        crate::__counted!(),                  // r0 and r1 are as before
        statistics = sym STATISTICS,
        counter = const offset::COUNTER,
        counted = const offset::COUNTED,
        cycles = const offset::CYCLES,
        switches = const offset::SWITCHES,
    )
}
