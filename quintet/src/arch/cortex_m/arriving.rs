//! The part of the tick's handler that serves a timer that has arrived: the counterpart of
//! [sleeping](super::switch).
//!
//! Most often the arrival is one thread's delay, and is due: the handler makes the thread ready
//! right here, and PendSV switches. If the arrival has a waker, the handler calls the waker. An
//! arrival that isn't due is admitted to the queue. The other cases, such as several arrivals or an
//! alarm at the same time, take the long path.
//!
//! If time is counted by ticks, only the timer of its delay names a thread: the thread waits
//! already, and doesn't look at the timer again. So nothing is written to say that the timer has
//! left.
//!
//! This is a macro, because it names the application's ceiling.

/// Defines the branch of the tick's handler for an arrival, in an application with threads whose
/// kernel has the ceiling `$ceiling`; without a ceiling, for an application without threads.
///
/// r0 has the address of the count, r2 the lower word of the count, r3 the address of the alarm.
#[cfg(all(threads, feature = "time", not(feature = "cortex-m7-r0p1")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_arrival {
    () => {
        $crate::__tick_arrival_of_any!();
    };
    ($ceiling:expr) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn __quintet_tick_arrival() {
            ::core::arch::naked_asm!(
                "ldr r3, [r3]",
                "mrs r12, BASEPRI",
                "cmp r3, r2",
                "beq 2f",                         // the alarm as well
                "movs r1, #{ceiling}",
                "msr BASEPRI, r1",
                "ldr r1, [r0, #4]",               // r1 = the oldest arrival
                "cmp r1, r0",
                "beq 3f",                         // it was cancelled just now
                "ldr r3, [r1, #4]",
                "cmp r3, r0",
                "bne 1f",                         // it isn't the only one
                "ldr r3, [r1, #{deadline}]",
                "cmp r2, r3",
                "ldr r2, [r0, #{high}]",
                "ldr r3, [r1, #{deadline} + 4]",
                "sbcs r2, r3",
                "blo 4f",                         // it isn't due
                "ldrd r2, r3, [r1, #{table}]",
                "strd r0, r0, [r0]",              // nothing has arrived
                "cbnz r2, 5f",                    // a waker's
                "ldr r2, 9f",
                "ldr r1, [r3, #{bit}]",
                "ldr r0, [r2, #-4]",              // the ready priorities
                "cmp r1, r0",
                "bls 6f",                         // it isn't the most urgent
                "orr r0, r1",
                "str r0, [r2, #-4]",
                "clz r1, r1",
                "str r3, [r2, r1, lsl #2]",       // the first in the ring, which was empty
                "mov r2, #0xe000e000",
                "mov r3, #{pend}",
                "str r3, [r2, #0xd04]",
                "3: msr BASEPRI, r12",
                "bx lr",
                "4: msr BASEPRI, r12",
                "b {early}",
                "5: movs r0, #0",
                "str r0, [r1]",                   // it is in no ring
                "msr BASEPRI, r12",
                "mov r0, r2",
                "mov r1, r3",
                "b {wake_job}",
                "6: mov r0, r3",
                "mov r1, r12",
                "b {ready}",
                "1:",
                "msr BASEPRI, r12",
                "2:",
                "b {arrival}",
                ".p2align 2",
                "9: .word {scheduler}+{queue}",
                ceiling = const { $ceiling.hardware() },
                high = const $crate::export::time::Counted::COUNT + 4,
                deadline = const $crate::export::time::Node::DEADLINE,
                table = const $crate::export::time::Node::TABLE,
                bit = const $crate::export::threads::offset::BIT,
                scheduler = sym $crate::export::threads::SCHEDULER,
                queue = const $crate::export::threads::offset::QUEUE,
                pend = const $crate::export::threads::PENDSVSET,
                ready = sym $crate::export::threads::ready,
                early = sym $crate::export::time::admit,
                wake_job = sym $crate::export::time::wake_job,
                arrival = sym $crate::export::time::on_arrival,
            )
        }
    };
}

/// Defines the branch without threads, or without a ceiling that one instruction raises.
#[cfg(all(feature = "time", not(all(threads, not(feature = "cortex-m7-r0p1")))))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_arrival {
    ($($ceiling:expr)?) => {
        $crate::__tick_arrival_of_any!();
    };
}

/// Defines nothing, as the application has no time.
#[cfg(not(feature = "time"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_arrival {
    ($($ceiling:expr)?) => {};
}

/// Defines a branch that always takes the long path.
#[cfg(feature = "time")]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_arrival_of_any {
    () => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn __quintet_tick_arrival() {
            ::core::arch::naked_asm!(
                $crate::__tick_branch!("{arrival}"),
                arrival = sym $crate::export::time::on_arrival,
            )
        }
    };
}
