//! The part of the tick's handler that serves the alarm, if no timer has arrived: a timer that has
//! waited in the queue is due.
//!
//! Most often this is one thread's delay, with nothing below it in the heap: the handler takes the
//! timer out, leaves the next alarm, and makes the thread ready, in a section each. If a waker is
//! due, the handler calls the waker, and looks again. Whatever isn't as simple takes the long path,
//! which begins anew, or goes on with a timer that has left:
//!
//! ```text
//!   TAKE ──> ALARM ──> the thread is ready (`arriving`)
//!    │  │      └──────> trees are loose: it is ready, and look again
//!    │  └─────────────> a waker's: call it, and look again
//!    └────────────────> another deadline, or nodes below: the long path
//! ```
//!
//! A node becomes a root only if it is earlier than the first root. So no two roots have one
//! deadline, and behind a root that is due now, none is.

/// Defines the branch of the tick's handler for the alarm, in an application with threads whose
/// kernel has the ceiling `$ceiling`; without a ceiling, for an application without threads.
///
/// r0 has the address of the count, r2 the lower word of the count.
#[cfg(all(basepri, feature = "time", not(feature = "cortex-m7-r0p1")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_alarm {
    ($ceiling:expr) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn __quintet_tick_alarm() {
            ::core::arch::naked_asm!(
                // TAKE the first root.
                "ldr r1, 8f",                     // r1 = the queue, whose ring of roots is first
                "mrs r12, BASEPRI",               // r12 = the mask of before
                "movs r3, #{ceiling}",            // the priority of the kernel's lock
                "msr BASEPRI, r3",                // the lock is taken
                "ldr r3, [r1]",                   // r3 = the earliest timer
                "cmp r3, r1",                     // is there none?
                "beq 1f",                         // it was cancelled
                "ldr r0, [r0, #{high}]",          // r0 = now, the upper word
                "ldr r1, [r3, #{deadline}]",      // its deadline, the lower word
                "cmp r1, r2",                     // is it now?
                "ldr r1, [r3, #{deadline} + 4]",  // the upper word
                "it eq",
                "cmpeq r1, r0",                   // is it now in both?
                "ldr r1, [r3, #{below}]",         // r1 = a timer below it
                "bne 1f",                         // it isn't due, or late
                "cbnz r1, 1f",                    // others are below it
                "ldrd r0, r1, [r3]",              // r0 = the next root, r1 = the queue
                "str r1, [r0, #4]",               // the next one is the first
                "str r0, [r1]",                   // and the queue knows it
                "mov r0, r3",                     // r0 = the timer
                "ldrd r2, r3, [r0, #{table}]",    // r2 = its table, r3 = its data
                "cbnz r2, 5f",                    // a waker's
                "msr BASEPRI, r12",               // the lock ends
                // ALARM: when the next root is due.
                "movs r2, #{ceiling}",            // the priority of the kernel's lock
                "msr BASEPRI, r2",                // the lock is taken
                "ldr r0, [r1, #{loose}]",         // r0 = the first loose tree
                "subs r0, #{loose}",              // an empty ring points to itself
                "cmp r0, r1",                     // is nothing loose?
                "bne 3f",                         // something is
                "ldr r0, [r1]",                   // r0 = the next root
                "cmp r0, r1",                     // is there none?
                "beq 6f",                         // so no alarm is needed
                "ldr r2, [r0, #{deadline}]",      // its deadline, the lower word
                "ldr r0, [r0, #{deadline} + 4]",  // the upper word
                "strd r2, r0, [r1, #{alarm}]",    // the alarm
                "4: msr BASEPRI, r12",            // the lock ends
                "movs r2, #{ceiling}",            // the priority of the kernel's lock
                "msr BASEPRI, r2",                // the lock is taken
                "b __quintet_tick_ready",         // r3 = the thread
                "6: mvn r2, #0",                  // the end of time
                "strd r2, r2, [r1, #{alarm}]",    // the alarm
                "b 4b",                           // as before
                $crate::__tick_alarm_rest!(),
                ".p2align 2",
                "8: .word {queue}",
                ceiling = const { $ceiling.hardware() },
                high = const $crate::export::time::Counted::COUNT + 4,
                deadline = const $crate::export::time::Node::DEADLINE,
                below = const $crate::export::time::Node::BELOW,
                table = const $crate::export::time::Node::TABLE,
                loose = const $crate::export::time::TimerQueue::LOOSE,
                alarm = const $crate::export::time::TimerQueue::ALARM_LOW,
                queue = sym $crate::export::time::QUEUE,
                thread_due = sym $crate::export::time::thread_due,
                job_due = sym $crate::export::time::job_due,
                alarm_reached = sym $crate::export::time::on_alarm,
            )
        }
    };
}

/// The less simple ends of an alarm: 3 with more to do behind the thread in r3, 5 with a waker's
/// parts in r2 and r3 of the timer in r0, and 1 with all to do.
#[cfg(all(basepri, feature = "time", not(feature = "cortex-m7-r0p1")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_alarm_rest {
    () => {
        "
        3: msr BASEPRI, r12                       // the lock ends
        mov r0, r3                                // the thread
        b {thread_due}                            // it becomes ready, and there is more
        5: movs r1, #0                            // r1 = no link
        str r1, [r0]                              // it is in no ring
        msr BASEPRI, r12                          // the lock ends
        mov r0, r2                                // the table of the waker
        mov r1, r3                                // and its word
        b {job_due}                               // which calls the waker, and looks again
        1: msr BASEPRI, r12                       // the lock ends
        b {alarm_reached}                         // the long path begins anew
        "
    };
}

/// Defines a branch that always takes the long path.
#[cfg(feature = "time")]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_alarm_of_any {
    () => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn __quintet_tick_alarm() {
            ::core::arch::naked_asm!(
                $crate::__tick_branch!("{alarm}"),
                alarm = sym $crate::export::time::on_alarm,
            )
        }
    };
}
