//! The calls that switch: one piece of assembly with several entries, so that its parts reach each
//! other by short branches.

use ::core::arch::naked_asm;
use ::core::ptr::NonNull;

use crate::arch::upward::{hold_ready_and_release, refuse_to_wait};
use crate::core::lock::Saved;
use crate::core::record::{SCHEDULER, ThreadBlock, WaitList, offset};
#[cfg(feature = "time")]
use crate::core::timer::Node;
#[cfg(feature = "time")]
use crate::core::timer::counted::{COUNTED, Counted};

#[expect(improper_ctypes, reason = "both sides are this crate")]
unsafe extern "C" {
    /// Makes a thread ready that was granted what it waited for, and ends the section that found
    /// `saved` at its beginning.
    ///
    /// The thread runs at once if it is the most urgent thread, the caller is a thread, and no
    /// other section is open. Then this function returns when the caller's turn comes again.
    ///
    /// # Safety
    /// The kernel's lock is held; the thread is in no ring.
    #[link_name = "__quintet_switch_ready"]
    pub fn ready(thread: &ThreadBlock, saved: Saved);

    /// Lets the running thread wait, and ends the section that found `saved`, which is 0, at its
    /// beginning. Returns when another context has made the thread ready, and its turn has come.
    ///
    /// # Safety
    /// The kernel's lock is held, by a thread that holds no ceiling; another context will make the
    /// thread ready.
    #[link_name = "__quintet_switch_block"]
    pub fn block(saved: Saved);

    /// Lets the next thread of the running thread's priority run, if another one is ready, and ends
    /// the section that found 0 at its beginning.
    ///
    /// # Safety
    /// The kernel's lock is held, by a thread that holds no ceiling of levels.
    #[link_name = "__quintet_switch_pass"]
    pub fn pass();

    /// Lets the running thread wait in the empty `list`, and ends the section that found 0 at its
    /// beginning. Returns when the thread was granted its demand, and its turn has come.
    ///
    /// # Safety
    /// The kernel's lock is held, by a thread; the list's object grants the demand.
    #[link_name = "__quintet_switch_wait"]
    pub fn wait(list: &WaitList<()>);

    /// Lets the running thread wait in the empty `list` for a demand, to which `demand` points.
    ///
    /// # Safety
    /// As for [`wait`]; code that grants the demand ends it.
    #[link_name = "__quintet_switch_wait_for"]
    pub fn wait_for(list: &WaitList<()>, demand: *const ());

    /// Lets the running thread wait for a notification, and ends the section that found `saved` at
    /// its beginning. Returns when the thread was notified and its turn has come. If the thread was
    /// notified before, returns at once, even under a ceiling of threads. Refuses a call within
    /// another section.
    ///
    /// # Safety
    /// The kernel's lock is held, by a thread.
    #[link_name = "__quintet_switch_park"]
    pub fn park(saved: Saved);

    /// Lets the running thread wait for its own flags at the marked address `mark`, of which `mask`
    /// are wanted. Ends the section that found `saved` at its beginning.
    ///
    /// # Safety
    /// The kernel's lock is held, by a thread; code that sets these flags makes the thread ready.
    #[link_name = "__quintet_switch_wait_for_own"]
    pub fn wait_for_own(mark: NonNull<()>, saved: Saved, mask: u32);

    /// Lets the thread run that the scheduler has just selected, and ends the section that found 0
    /// at its beginning.
    ///
    /// # Safety
    /// The kernel's lock is held, by the thread `from`, which holds no ceiling and is no longer the
    /// running thread. `to` is the running thread, and is neither `from` nor idle.
    #[link_name = "__quintet_switch"]
    pub fn switch(to: &ThreadBlock, from: &ThreadBlock);

    /// Lets another thread run, or idle, and ends the section that found 0 at its beginning.
    /// Doesn't return. The stack is left with the lock held: a context that comes after that may
    /// start the thread again, which writes to the stack.
    ///
    /// # Safety
    /// The kernel's lock is held, by a thread that has ended; `to` is the running thread.
    #[link_name = "__quintet_switch_leave"]
    pub fn leave(to: &ThreadBlock) -> !;
}

/// Finds the most urgent ready thread. r0 has the ready priorities, and gets the address of the
/// first thread there, or of idle. r2 has the address of the scheduler. r2 and r3 change.
///
/// ARMv6-M can't count leading zeros: the number is found half by half, down to four bits, for
/// which there is a [table](__slots). The path of priorities below 8 is the shortest. `$label`
/// begins the labels, and the [rest](__find_first_rest) of the other paths is at hand.
#[doc(hidden)]
#[macro_export]
macro_rules! __find_first {
    ($label:literal) => {
        ::core::concat!(
            "lsrs r3, r0, #16                 // is a priority from 31 to 16 ready?
            bne ",
            $label,
            "3f                // yes
            lsrs r3, r0, #8                   // is one from 15 to 8 ready?
            bne ",
            $label,
            "1f                // yes
            lsrs r3, r0, #4                   // r3 = those from 7 to 4
            bne ",
            $label,
            "0f                // one is ready
            movs r3, r0                       // r3 = those from 3 to 0
            adds r2, #16                      // in the slots from 28 on
            ",
            $label,
            "0:
            adds r2, #96                      // in the slots from 24 on
            ",
            $label,
            "8:
            adr r0, 89f                       // r0 = where the first of four is in the queues
            ldrb r0, [r0, r3]                 // r0 = the offset of its slot from there
            ldr r0, [r2, r0]                  // r0 = the first thread of the priority
            "
        )
    };
}

/// The rest of [`__find_first`], for priorities from 8 on.
#[doc(hidden)]
#[macro_export]
macro_rules! __find_first_rest {
    ($label:literal) => {
        ::core::concat!(
            $label,
            "1:
            lsrs r0, r3, #4                   // is a priority from 15 to 12 ready?
            bne ",
            $label,
            "2f                // yes
            adds r2, #80                      // from 11 to 8: in the slots from 20 on
            b ",
            $label,
            "8b                  // r3 = four bits
            ",
            $label,
            "2:
            movs r3, r0                       // r3 = those from 15 to 12
            adds r2, #64                      // in the slots from 16 on
            b ",
            $label,
            "8b                  // r3 = four bits
            ",
            $label,
            "3:
            lsrs r0, r3, #8                   // is a priority from 31 to 24 ready?
            bne ",
            $label,
            "4f                // yes
            lsrs r0, r3, #4                   // is one from 23 to 20 ready?
            bne ",
            $label,
            "5f                // yes
            adds r2, #48                      // from 19 to 16: in the slots from 12 on
            b ",
            $label,
            "8b                  // r3 = four bits
            ",
            $label,
            "4:
            lsrs r3, r0, #4                   // r3 = those from 31 to 28
            bne ",
            $label,
            "8b                // one is ready, in the slots from 0 on
            subs r2, #16                      // from 27 to 24: in the slots from 4 on
            ",
            $label,
            "5:
            movs r3, r0                       // r3 = those from 23 to 20, or from 27 to 24
            adds r2, #32                      // in the slots from 8 on, or from 4 on
            b ",
            $label,
            "8b                  // r3 = four bits
            "
        )
    };
}

/// The offsets of the first ready slot of four from the scheduler, by the four bits; with none, it
/// is the slot behind them.
#[doc(hidden)]
#[macro_export]
macro_rules! __slots {
    () => {
        "
        .p2align 2
        89:
        .byte {queue}+16, {queue}+12, {queue}+8, {queue}+8
        .byte {queue}+4, {queue}+4, {queue}+4, {queue}+4
        .byte {queue}, {queue}, {queue}, {queue}, {queue}, {queue}, {queue}, {queue}
        "
    };
}

/// Puts the thread in r0 into the slot of its priority as the first there; or with two registers,
/// the first thread into the slot of the second one's priority. r2 has the address of the
/// scheduler; r3 changes.
macro_rules! store_first {
    () => {
        store_first!("r0", "r0")
    };
    ($first:literal, $of:literal) => {
        concat!(
            "ldrb r3, [",
            $of,
            ", #{priority}]                   // r3 = the priority
            lsls r3, r3, #2                   // slots lie downwards: 31 - priority
            subs r3, r2, r3                   // r3 = the slot,
            adds r3, #{queue}                 // without 31 slots
            str ",
            $first,
            ", [r3, #124]                     // the first there
            "
        )
    };
}

/// Leaves the thread in r1: its registers go onto its stack. r3 changes. PendSV knows each
/// instruction by its place.
macro_rules! suspend {
    () => {
        "
        push {{r4-r7, lr}}                    // the registers, and X = the return address
        mov r4, r8                            // the upper ones
        mov r5, r9                            // can't be stored
        mov r6, r10                           // from where
        mov r7, r11                           // they are
        push {{r4-r7}}                        // below the lower ones
        mov r3, sp                            // where the registers are
        str r3, [r1]                          // r1 is suspended
        "
    };
}

#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_switch() {
    naked_asm!(
        // SWITCH from r1 to r0, which is the running thread already.
        "cpsie i",                            // the section ends: PendSV may take over
        ".global __quintet_switch_window",
        "__quintet_switch_window:",
        suspend!(),
        "ldr r3, [r0]",                       // r3 = where r0's registers are
        "mov sp, r3",                         // the new stack is in use
        "50:",                                // RESUME r0, with its stack in use
        "ldmia r3!, {{r4-r7}}",               // first the upper registers
        "mov r8, r4",                         // which can't be loaded
        "mov r9, r5",                         // to where they belong
        "mov r10, r6",                        // sp stays,
        "mov r11, r7",                        // so that an exception overwrites nothing
        "add sp, #16",                        // behind the upper registers
        "pop {{r4-r7, pc}}",                  // r0's thread continues at X
        ".org __quintet_switch_window + 34",  // PendSV knows the places by these distances
        "51:",
        "cpsie i",                            // the section ends, with the new stack in use
        "b 50b",                              // the rest is the same
        // SWITCH from r1 to idle, in r0.
        "52:",
        "cpsie i",                            // the section ends: PendSV may take over
        ".org __quintet_switch_window + 40",
        "53:",
        suspend!(),
        "54:",
        "ldr r3, [r0]",                       // r3 = where idle's registers are
        "ldmia r3!, {{r4-r7}}",               // the upper registers
        "mov r8, r4",                         // first,
        "mov r9, r5",                         // as
        "mov r10, r6",                        // for
        "mov r11, r7",                        // threads
        "ldmia r3!, {{r4-r7}}",               // the lower ones
        "adds r3, #4",                        // behind X, which is always the stub
        "movs r2, #0",                        // r2 = the main stack
        "cpsid i",                            // PendSV finds idle by PSP
        "msr CONTROL, r2",                    // the main stack is in use,
        "isb",                                // and nothing before it is (B1.4.4)
        "msr PSP, r3",                        // as initialise has set it
        "cpsie i",                            // PendSV may come
        // A thread, or idle, that PendSV has suspended is resumed: r0 is its control block.
        ".thumb_func",
        ".global __quintet_resume",
        "__quintet_resume:",
        "isb",                                // PendSV comes here at the latest
        "svc 0",                              // SVCall drops its frame
        "udf #0x51",                          // never executed
        ".thumb_func",
        ".global __quintet_switch_leave",
        "__quintet_switch_leave:",
        "ldr r2, [r0, #{bit}]",               // idle's bit is 1, no thread's is
        "cmp r2, #1",                         // is it idle?
        "beq 54b",                            // idle
        "ldr r3, [r0]",                       // r3 = where r0's registers are
        "mov sp, r3",                         // the new stack is in use
        "b 51b",                              // and the lock ends

        ".thumb_func",
        ".global __quintet_switch_pass",
        "__quintet_switch_pass:",
        "ldr r2, 90f",                        // r2 = the scheduler
        "ldr r1, [r2, #4]",                   // r1 = running
        "ldr r3, [r1, #{limit}]",             // its limit
        "lsls r3, r3, #31",                   // N = the limit's lowest bit
        "bpl 60f",                            // under a ceiling of threads
        "ldr r0, [r1, #{next}]",              // r0 = the next in its ring
        "cmp r0, r1",                         // is it alone there?
        "beq 61f",                            // no other thread
        store_first!("r0", "r1"),             // the next is the first,
        "str r0, [r2, #4]",                   // and runs
        "b __quintet_switch",                 // r0 runs, r1 waits
        "60:",
        "movs r0, #0",                        // the mask that the section found
        "b 78f",                              // no thread may wait there
        "61:",
        "cpsie i",                            // the section ends
        "bx lr",                              // the thread continues

        ".thumb_func",
        ".global __quintet_switch_wait_for",
        "__quintet_switch_wait_for:",
        "mov r12, r1",                        // r12 = the demand
        "ldr r2, 90f",                        // r2 = the scheduler
        "ldr r1, [r2, #4]",                   // r1 = running
        "ldrb r3, [r1, #{ceiling}]",          // the ceiling that it is under
        "cmp r3, #0",                         // is there one?
        "bne 60b",                            // under a ceiling of threads
        "str r0, [r1, #{place}]",             // its place,
        "str r3, [r1, #{waiter}]",            // and no waiter is behind it
        "mov r3, r1",                         // r3 = the thread's
        "adds r3, #{waiter}",                 // own waiter
        "str r3, [r0]",                       // is the head
        "str r3, [r0, #4]",                   // and the tail
        "ldr r3, [r1, #{next}]",              // r3 = the next in its ring
        "cmp r3, r1",                         // is it alone there?
        "bne 71f",                            // others of its priority are ready
        "mov r3, r12",                        // its demand
        "str r3, [r1, #{previous}]",          // is in its ring's link
        "b 70f",                              // it is no longer ready

        ".thumb_func",
        ".global __quintet_switch_block",
        "__quintet_switch_block:",
        "ldr r2, 90f",                        // r2 = the scheduler
        "ldr r1, [r2, #4]",                   // r1 = running
        "b 69f",                              // it waits
        ".p2align 2",
        "90:",
        ".word {scheduler}",

        ".thumb_func",
        ".global __quintet_switch_wait",
        "__quintet_switch_wait:",
        "ldr r2, 91f",                        // r2 = the scheduler
        "ldr r1, [r2, #4]",                   // r1 = running
        "ldrb r3, [r1, #{ceiling}]",          // the ceiling that it is under
        "cmp r3, #0",                         // is there one?
        "bne 60b",                            // under a ceiling of threads
        "str r0, [r1, #{place}]",             // its place,
        "str r3, [r1, #{waiter}]",            // and no waiter is behind it
        "mov r3, r1",                         // r3 = the thread's
        "adds r3, #{waiter}",                 // own waiter
        "str r3, [r0]",                       // is the head
        "str r3, [r0, #4]",                   // and the tail
        "69:",                                // BLOCK the running thread r1; r2 = the scheduler
        "ldr r3, [r1, #{next}]",              // r3 = the next in its ring
        "cmp r3, r1",                         // is it alone there?
        "bne 72f",                            // others of its priority are ready
        "70:",
        "ldr r0, [r2, #8]",                   // r0 = ready
        "ldr r3, [r1, #{bit}]",               // r3 = its bit
        "bics r0, r3",                        // ready, without it
        "str r0, [r2, #8]",                   // so the scheduler knows it
        "beq 73f",                            // no thread: idle
        crate::__find_first!("10"),
        "ldr r2, 91f",                        // r2 = the scheduler
        "str r0, [r2, #4]",                   // it runs
        "b __quintet_switch",                 // r0 runs, r1 waits
        crate::__find_first_rest!("10"),
        "72:",
        "mov r12, r1",                        // no demand: the thread itself
        "71:",                                // others of its priority; r12 = its demand, or itself
        "ldr r0, [r1, #{next}]",              // the next
        "ldr r3, [r1, #{previous}]",          // and the one before
        "str r0, [r3, #{next}]",              // close the ring,
        "str r3, [r0, #{previous}]",          // as neighbours
        "str r1, [r1, #{next}]",              // it is alone
        "mov r3, r12",                        // with its demand,
        "str r3, [r1, #{previous}]",          // or without one
        store_first!("r0", "r1"),             // the next is the first of the priority
        "ldr r0, [r2, #8]",                   // r0 = ready, in which nothing has changed
        crate::__find_first!("20"),
        "ldr r2, 91f",                        // r2 = the scheduler
        "str r0, [r2, #4]",                   // the first of the most urgent runs
        "b __quintet_switch",                 // r0 runs, r1 waits
        crate::__find_first_rest!("20"),
        "73:",
        "movs r0, #{queue}+128",              // the slot behind all others
        "ldr r0, [r2, r0]",                   // r0 = idle
        "str r0, [r2, #4]",                   // it runs
        "b 52b",                              // r1 waits

        ".thumb_func",
        ".global __quintet_switch_park",
        "__quintet_switch_park:",
        "cmp r0, #0",                         // the mask that the section found
        "bne 78f",                            // in another section
        "ldr r2, 91f",                        // r2 = the scheduler
        "ldr r1, [r2, #4]",                   // r1 = running
        "ldrb r3, [r1, #{ceiling} + 1]",      // is it notified?
        "cmp r3, #0",                         // not 0 if so
        "bne 75f",                            // yes: nothing to wait for
        "ldrb r3, [r1, #{ceiling}]",          // the ceiling that it is under
        "cmp r3, #0",                         // is there one?
        "bne 78f",                            // under a ceiling of threads
        "str r1, [r1, #{waiter}]",            // it is parked
        "b 69b",                              // and waits
        "75:",
        "strb r0, [r1, #{ceiling} + 1]",      // the notification is used up
        "cpsie i",                            // the section ends
        "bx lr",                              // at once

        ".thumb_func",
        ".global __quintet_switch_wait_for_own",
        "__quintet_switch_wait_for_own:",
        "cmp r1, #0",                         // the mask that the section found
        "bne 76f",                            // in another section
        "ldr r3, 91f",                        // r3 = the scheduler
        "mov r12, r3",                        // which is needed again
        "ldr r1, [r3, #4]",                   // r1 = running
        "ldrb r3, [r1, #{ceiling}]",          // the ceiling that it is under
        "cmp r3, #0",                         // is there one?
        "bne 77f",                            // under a ceiling of threads
        "str r0, [r1, #{waiter}]",            // it waits
        "str r2, [r1, #{waiter} + 4]",        // for these
        "mov r2, r12",                        // r2 = the scheduler
        "b 69b",                              // it waits
        "76:",
        "mov r0, r1",                         // r0 = the mask that the section found
        "b 78f",                              // no thread may wait there
        "77:",
        "movs r0, #0",                        // the mask that the section found
        "78:",                                // REFUSE to wait; r0 = the mask
        "ldr r3, 92f",                        // a branch that reaches the whole memory
        "bx r3",                              // which doesn't return
        crate::__slots!(),
        "91:",
        ".word {scheduler}",
        "92:",
        ".word {refuse}",

        ".thumb_func",
        ".global __quintet_switch_ready",
        "__quintet_switch_ready:",
        "mrs r3, CONTROL",                    // CONTROL.SPSEL is 0 in handlers and for idle
        "ldr r2, 94f",                        // r2 = the scheduler
        "lsls r3, r3, #30",                   // N = on the process stack: a thread
        "bpl 62f",                            // no thread: PendSV switches
        "ldr r3, 93f",                        // r3 = the note of a pause
        "ldr r3, [r3]",                       // not 0 in a pause
        "orrs r3, r1",                        // and the mask that this section found
        "bne 62f",                            // in a pause, or in another section
        "ldr r3, [r0, #{bit}]",               // r3 = its bit; 0 if it is suspended
        "ldr r1, [r2, #8]",                   // r1 = ready
        "cmp r3, r1",                         // is it more urgent than all that are ready?
        "bls 63f",                            // not above all that are ready
        "orrs r1, r3",                        // it is ready as well
        "str r1, [r2, #8]",                   // so the scheduler knows it
        store_first!(),                       // the first in the ring, which was empty
        "ldr r1, [r2, #4]",                   // r1 = running
        "ldr r3, [r1, #{limit}]",             // the running thread's limit
        "cmp r3, #0",                         // N = its highest bit
        "bmi 67f",                            // under a ceiling, or cooperative
        "str r0, [r2, #4]",                   // it runs
        "b __quintet_switch",                 // r0 runs, r1 is left
        "62:",                                // not in a thread, or not now: PendSV
        "ldr r3, [r0, #{bit}]",               // r3 = its bit, 0 if it is suspended
        "mov r12, r1",                        // r12 = the mask that this section found
        "ldr r1, [r2, #8]",                   // r1 = ready
        "cmp r3, r1",                         // is it more urgent than all that are ready?
        "bls 64f",                            // no: PendSV has nothing new to do
        "orrs r1, r3",                        // it is ready as well
        "str r1, [r2, #8]",                   // so the scheduler knows it
        store_first!(),                       // the first in the ring, which was empty
        "68:",
        "ldr r2, 95f",                        // r2 = the register that pends PendSV
        "movs r3, #1",                        // r3 = its bit
        "lsls r3, r3, #28",                   // there
        "str r3, [r2]",                       // it switches when all masks are down
        "65:",
        "mov r1, r12",                        // the mask that this section found
        "msr PRIMASK, r1",                    // is the mask again
        "bx lr",                              // to the waker
        "67:",                                // r3 = the limit; a thread's section found 0
        "movs r1, #0",                        // as a thread's section did
        "mov r12, r1",                        // r12 = the mask that this section found
        "lsls r3, r3, #31",                   // N = the limit's lowest bit, 0 under a ceiling
        "bpl 68b",                            // it may be above the ceiling
        "b 65b",                              // cooperative: it waits for its turn
        "63:",                                // in a thread; r1 = ready
        "movs r2, #0",                        // a thread's section found 0
        "mov r12, r2",                        // r12 = the mask that this section found
        "ldr r2, 94f",                        // r2 = the scheduler
        "64:",                                // it waits for its turn, or a switch is due already
        "cmp r3, #0",                         // r3 = its bit: is it suspended?
        "beq 66f",                            // yes
        "tst r1, r3",                         // are others of its priority ready?
        "bne 57f",                            // yes: it goes behind them
        "orrs r1, r3",                        // it is ready as well
        "str r1, [r2, #8]",                   // so the scheduler knows it
        store_first!(),                       // the first of its priority
        "b 65b",                              // the section ends
        "57:",                                // behind others of its priority; r3 = its bit
        "push {{r4, r5}}",                    // two registers more
        "ldrb r4, [r0, #{priority}]",         // r4 = the priority
        "lsls r4, r4, #2",                    // slots lie downwards: 31 - priority
        "subs r4, r2, r4",                    // r4 = the slot,
        "adds r4, #{queue}",                  // without 31 slots
        "ldr r4, [r4, #124]",                 // r4 = the first
        "ldr r5, [r4, #{previous}]",          // r5 = the last
        "str r0, [r4, #{previous}]",          // it lies before the first,
        "str r0, [r5, #{next}]",              // and behind the last,
        "str r4, [r0, #{next}]",              // and both
        "str r5, [r0, #{previous}]",          // are its neighbours
        "pop {{r4, r5}}",                     // as before
        "adds r2, #{queue}",                  // r2 = the queues
        "adds r2, #124",                      // the last of their slots but idle's
        "ldr r1, [r2, #{sliced} - 124]",      // r1 = the priorities that take turns
        "tst r1, r3",                         // is it one of them?
        "beq 65b",                            // no: the section ends
        "ldr r3, [r2]",                       // r3 = the table of optional functions
        "ldr r3, [r3, #{note_second}]",       // which times turns, and ends the section
        "mov r1, r12",                        // r1 = the mask as found
        "bx r3",                              // r0 = the thread
        "66:",
        "mov r1, r12",                        // r1 = the mask as found
        "ldr r3, 96f",                        // a branch that reaches the whole memory
        "bx r3",                              // notes that it is ready when it is resumed
        ".p2align 2",
        "93:",
        ".word {pause}",
        "94:",
        ".word {scheduler}",
        "95:",
        ".word 0xe000ed04",
        "96:",
        ".word {hold}",
        scheduler = sym SCHEDULER,
        pause = sym crate::arch::mask::PAUSE,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        limit = const offset::LIMIT,
        priority = const offset::PRIORITY,
        ceiling = const offset::CEILING,
        place = const offset::PLACE,
        waiter = const offset::WAITER,
        next = const offset::NEXT,
        previous = const offset::PREVIOUS,
        sliced = const offset::SLICED,
        refuse = sym refuse_to_wait,
        hold = sym hold_ready_and_release,
        note_second = const offset::NOTE_SECOND,
    )
}

/// The slot of the optional functions is where the code looks for them.
const _: () = assert!(offset::HOOKS == 124 && offset::QUEUE == 12);

/// The pushed words are a node.
#[cfg(feature = "time")]
const _: () = {
    assert!(Node::LINK == 0 && Node::BELOW == 8);
    assert!(Node::DEADLINE == 16 && Node::TABLE == 24 && Node::DATA == 28);
    assert!(size_of::<Node>() == 32);
};

/// Lets the running thread wait for `ticks` ticks, not 0, and ends the section that found `saved`
/// at its beginning. Returns when the ticks have passed, and the thread's turn has come.
///
/// # Safety
/// The kernel's lock is held, by a thread; time is counted, and doesn't end before the deadline.
#[cfg(feature = "time")]
#[unsafe(naked)]
pub unsafe extern "C" fn sleep(_ticks: u64, _saved: Saved) {
    naked_asm!(
        "push {{r4, lr}}",                    // r4 is free, and the stack aligned
        "cmp r2, #0",                         // the mask that the section found
        "bne 4f",                             // in another section
        "ldr r4, 8f",                         // r4 = the count, and the armed timers
        "ldr r3, [r4, #{count}]",             // now, the lower word
        "adds r0, r0, r3",                    // the deadline's, with a carry
        "ldr r3, [r4, #{count} + 4]",         // the upper word
        "adcs r1, r3",                        // r0, r1 = the deadline
        "ldr r3, 9f",                         // r3 = the scheduler
        "ldr r3, [r3, #4]",                   // r3 = running
        "ldrb r4, [r3, #{ceiling}]",          // the ceiling that it is under
        "cmp r4, #0",                         // is there one?
        "bne 4f",                             // under a ceiling of threads
        "push {{r0-r3}}",                     // the deadline, no table, whom to wake
        "str r2, [r3, #{place}]",             // it waits in no list
        "ldr r1, 8f",                         // r1 = the list: none was armed later
        "ldr r0, [r1]",                       // r0 = the timer that was armed last
        "push {{r0-r3}}",                     // the next and the one before, nothing below
        "mov r2, sp",                         // r2 = the timer
        "str r2, [r0, #4]",                   // it lies before that one
        "str r2, [r1]",                       // armed
        "movs r0, #0",                        // the mask that the section found
        "bl {block}",                         // it waits
        "add sp, #32",                        // it has fired: it is in no list any more
        "pop {{r4, pc}}",                     // to the caller
        "4:",
        "mov r0, r2",                         // r0 = the mask that the section found
        "ldr r3, 7f",                         // a branch that reaches the whole memory
        "bx r3",                              // no thread may wait there
        ".p2align 2",
        "7:",
        ".word {refuse}",
        "8:",
        ".word {counted}",
        "9:",
        ".word {scheduler}",
        counted = sym COUNTED,
        count = const Counted::COUNT,
        scheduler = sym SCHEDULER,
        ceiling = const offset::CEILING,
        place = const offset::PLACE,
        block = sym block,
        refuse = sym refuse_to_wait,
    )
}
