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
#[cfg(all(basepri, feature = "time", not(feature = "cortex-m7-r0p1")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __tick_arrival {
    () => {
        $crate::__tick_arrival_of_any!();
    };
    ($ceiling:expr) => {
        $crate::__tick_alarm!($ceiling);

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn __quintet_tick_arrival() {
            ::core::arch::naked_asm!(
                "ldr r3, [r3]",                   // r3 = the alarm's tick, the lower word
                "mrs r12, BASEPRI",               // r12 = the mask of before
                "cmp r3, r2",                     // is it due now?
                "beq 2f",                         // the alarm as well
                "movs r1, #{ceiling}",            // the priority of the kernel's lock
                "msr BASEPRI, r1",                // the lock is taken
                "ldr r1, [r0, #4]",               // r1 = the oldest arrival
                "cmp r1, r0",                     // is there none?
                "beq 3f",                         // it was cancelled just now
                "ldr r3, [r1, #4]",               // r3 = the one that arrived after it
                "cmp r3, r0",                     // is that the list itself?
                "bne 1f",                         // it isn't the only one
                "ldr r3, [r1, #{deadline}]",      // its deadline, the lower word
                "cmp r2, r3",                     // C = no borrow
                "ldr r2, [r0, #{high}]",          // r2 = now, the upper word
                "ldr r3, [r1, #{deadline} + 4]",  // its deadline, the upper word
                "sbcs r2, r3",                    // now minus the deadline, in 64 bits
                "blo 4f",                         // it isn't due
                "ldrd r2, r3, [r1, #{table}]",    // r2 = its table, r3 = its data
                "strd r0, r0, [r0]",              // nothing has arrived
                "cbnz r2, 5f",                    // a waker's
                // From the alarm: r3 = a thread, and the lock is held.
                ".global __quintet_tick_ready\n.thumb_func\n__quintet_tick_ready:",
                "ldr r2, 9f",                     // r2 = the queues
                "ldr r1, [r3, #{bit}]",           // no table: r3 is a thread; r1 = its bit
                "ldr r0, [r2, #-4]",              // the ready priorities
                "cmp r1, r0",                     // is it above all that are ready?
                "bls 6f",                         // it isn't the most urgent
                "orr r0, r1",                     // it is ready as well
                "str r0, [r2, #-4]",              // so the scheduler knows it
                "clz r1, r1",                     // r1 = the slot of its priority
                "str r3, [r2, r1, lsl #2]",       // the first in the ring, which was empty
                "mov r2, #0xe000e000",            // r2 = the system control space
                "mov r3, #{pend}",                // the bit of ICSR that pends PendSV
                "str r3, [r2, #0xd04]",           // it switches when the handler has ended
                "3: msr BASEPRI, r12",            // the lock ends
                "bx lr",                          // the tick is over
                "4: msr BASEPRI, r12",            // the lock ends
                "b {early}",                      // which admits it to the queue
                "5: movs r0, #0",                 // r0 = no link
                "str r0, [r1]",                   // it is in no ring
                "msr BASEPRI, r12",               // the lock ends
                "mov r0, r2",                     // the table of the waker
                "mov r1, r3",                     // and its word
                "b {wake_job}",                   // which calls the waker
                "6: mov r0, r3",                  // r0 = the thread
                "mov r1, r12",                    // the mask that the section found
                "b {ready}",                      // which ends the section
                "1:",
                "msr BASEPRI, r12",               // the lock ends
                "2:",
                "b {arrival}",                    // the long path begins anew
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
                ready = sym $crate::export::threads::ready_from_handler,
                early = sym $crate::export::time::admit,
                wake_job = sym $crate::export::time::wake_job,
                arrival = sym $crate::export::time::on_arrival,
            )
        }
    };
}

/// Defines the branch without threads, or without a ceiling that one instruction raises.
#[cfg(all(feature = "time", not(all(basepri, not(feature = "cortex-m7-r0p1")))))]
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
        $crate::__tick_alarm_of_any!();

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
