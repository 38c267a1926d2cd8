//! What the tick's handler does for a timer that has arrived: the other end of
//! [sleeping](super::switch).
//!
//! Most often that is one thread's delay, and it is due: the thread is made ready right here, and
//! PendSV switches. A waker is called; what isn't due is admitted to the queue. What is left,
//! several at once or the alarm beside them, takes the long way.
//!
//! Over a tick, a thread is named by the timer of its delay alone: it waits already, and doesn't
//! look at that again. So nothing is written to say that the timer has left.
//!
//! It is a macro, because it names the application's ceiling.

/// Defines what the tick's handler branches to if something has arrived, for an application whose
/// kernel has the ceiling `$ceiling`, and threads; without a ceiling, for one without threads.
///
/// r0 has the address of what is counted, r2 the lower word of the count, r3 the address of the
/// alarm.
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
                "ldr r1, [r0, #4]",               // r1 = what has arrived longest ago
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
                "ldr r0, [r2, #-4]",              // who is ready
                "cmp r1, r0",
                "bls 6f",                         // it isn't the most urgent
                "orr r0, r1",
                "str r0, [r2, #-4]",
                "clz r1, r1",
                "str r3, [r2, r1, lsl #2]",       // the first of its priority, which nobody had
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

/// The same where threads, or a ceiling that one instruction raises, are missing.
#[cfg(all(feature = "time", not(all(threads, not(feature = "cortex-m7-r0p1")))))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_arrival {
    ($($ceiling:expr)?) => {
        $crate::__tick_arrival_of_any!();
    };
}

/// Nobody asks for time.
#[cfg(not(feature = "time"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_arrival {
    ($($ceiling:expr)?) => {};
}

/// Goes the long way, whoever has armed what has arrived.
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
