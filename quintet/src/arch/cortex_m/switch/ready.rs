//! Making a thread ready that was granted what it waited for.

use ::core::arch::{asm, naked_asm};

use super::PENDSVSET;
use super::stacks::switch_stacks;
use crate::arch::upward::hold_ready_and_release;
use crate::core::application;
use crate::core::lock::Saved;
use crate::core::record::{SCHEDULER, ThreadBlock, offset};

/// Makes a thread ready that was granted what it waited for, and ends the section that found
/// `saved` at its beginning.
///
/// The thread runs at once if it is the most urgent thread, the caller is a thread, and no other
/// section is open (such as a library's critical section by PRIMASK). Then this function returns
/// when the caller's turn comes again.
///
/// # Safety
/// The kernel's lock is held; the thread is in no ring.
#[inline(always)]
pub unsafe fn ready(thread: &ThreadBlock, saved: Saved) {
    // SAFETY: the caller's. Without limits, no running thread's limit holds off another thread.
    unsafe {
        if application::has_limits() {
            make_ready::<true>(thread, saved);
        } else {
            make_ready::<false>(thread, saved);
        }
        // A thread that a switch has resumed has its control block in r0. PendSV looks closer at a
        // thread for as long as it has: see `taking_back`.
        asm!("movs r0, #0", out("r0") _, options(nomem, nostack));
    }
}

/// As `ready`, for the assembly of a handler.
///
/// # Safety
/// As for `ready`.
#[cfg(feature = "time")]
pub unsafe extern "C" fn ready_from_handler(thread: &ThreadBlock, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { ready(thread, saved) };
}

/// Ends the section that found r1 at its beginning, and returns.
macro_rules! release {
    () => {
        "msr BASEPRI, r1\nbx lr" // the mask is as it was found
    };
}

/// As [`ready`]. `LIMITED`: the application has ceilings of threads, or is cooperative, so that the
/// running thread's limit may hold off a thread that is more urgent than all ready threads.
///
/// # Safety
/// As for [`ready`].
#[unsafe(naked)]
unsafe extern "C" fn make_ready<const LIMITED: bool>(_thread: &ThreadBlock, _saved: Saved) {
    naked_asm!(
        "ldr r2, 9f",                         // as many cycles as two moves without wait states
        "mrs r3, CONTROL",                    // CONTROL.SPSEL is 0 in handlers and for idle
        #[cfg(any(fpu, processes))]
        "
        lsls r3, r3, #30                      // N = on the process stack: a thread
        bpl 2f                                // no thread: PendSV switches
        ",
        #[cfg(not(any(fpu, processes)))]
        "cbz r3, 2f",                         // nothing but the process stack: a thread
        "mrs r12, PRIMASK",                   // 1 in a library's critical section
        "orrs r12, r12, r1",                  // and the mask that this section found
        "bne 2f",                             // in a critical section, or under a ceiling of levels
        "ldr r3, [r0, #{bit}]",               // r3 = its bit; 0 if it is suspended
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        "cmp r3, r12",                        // is it more urgent than all that are ready?
        "bls 3f",                             // not above all that are ready
        "orr r12, r3",                        // it is ready as well,
        "str r12, [r2, #-4]",                 // so the scheduler knows it
        "clz r3, r3",                         // r3 = the slot of its priority
        "str r0, [r2, r3, lsl #2]",           // the first in the ring, which was empty
        ".if {limited}",
        "ldr r3, [r1, #{limit}]",             // the running thread's limit
        "cmp r3, #0",                         // N = its highest bit
        "bmi 7f",                             // under a ceiling, or cooperative
        ".endif",
        "str r0, [r2, #-8]",                  // it runs
        switch_stacks!(),
        "2:",                                 // not in a thread, or not now: PendSV
        "ldr r3, [r0, #{bit}]",               // r3 = its bit, 0 if it is suspended
        "ldr r12, [r2, #-4]",                 // r12 = ready
        "cmp r3, r12",                        // is it more urgent than all that are ready?
        "bls 4f",                             // no: PendSV has nothing new to do
        "orr r12, r3",                        // it is ready as well
        "str r12, [r2, #-4]",                 // so the scheduler knows it
        "clz r3, r3",                         // r3 = the slot of its priority
        "str r0, [r2, r3, lsl #2]",           // the first in the ring, which was empty
        "8:",
        "mov r2, #0xe000e000",                // r2 = the system control space
        "mov r3, #{pend}",                    // the bit of ICSR that pends PendSV
        "str r3, [r2, #0xd04]",               // it switches when all masks are down
        release!(),
        ".if {limited}",
        "7:",                                 // it is ready, and doesn't run yet
        "movs r1, #0",                        // a thread's section found 0
        "lsls r3, r3, #31",                   // N = the limit's lowest bit, 0 under a ceiling
        "bpl 8b",                             // it may be above the ceiling
        release!(),
        ".endif",
        "3:",                                 // in a thread
        "movs r1, #0",                        // a thread's section found 0
        "4:",                                 // it waits for its turn, or a switch is due already
        "cbz r3, 6f",                         // it is suspended
        "tst r12, r3",                        // are others of its priority ready?
        "bne 5f",                             // yes: it goes behind them
        "orr r12, r3",                        // it is ready as well
        "str r12, [r2, #-4]",                 // so the scheduler knows it
        "clz r3, r3",                         // r3 = the slot of its priority
        "str r0, [r2, r3, lsl #2]",           // the first of its priority
        release!(),
        "5:",                                 // behind others of its priority
        "ldr r12, [r2, #{sliced}]",           // the priorities that take turns
        "tst r12, r3",                        // Z stays until the last branch
        "clz r3, r3",                         // r3 = the slot of its priority
        "ldr r12, [r2, r3, lsl #2]",          // r12 = the first
        "ldr r3, [r12, #{previous}]",         // r3 = the last
        "str r0, [r12, #{previous}]",         // it lies before the first,
        "str r0, [r3, #{next}]",              // and behind the last,
        "strd r12, r3, [r0, #{next}]",        // and both are its neighbours
        "bne 10f",                            // which take turns
        release!(),
        "6:",
        "b {hold}",                           // notes that it is ready when it is resumed
        "10:",
        "ldr r3, [r2, #{hooks}]",             // r3 = the table of optional functions
        "ldr r3, [r3, #{note_second}]",       // which times turns, and ends the section
        "bx r3",                              // r0 = the thread, r1 = the mask as found
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        limited = const LIMITED as u32,
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        limit = const offset::LIMIT,
        pend = const PENDSVSET,
        next = const offset::NEXT,
        previous = const offset::PREVIOUS,
        sliced = const offset::SLICED,
        hold = sym hold_ready_and_release,
        hooks = const offset::HOOKS,
        note_second = const offset::NOTE_SECOND,
    )
}
