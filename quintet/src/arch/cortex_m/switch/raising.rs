//! Mutexes with a ceiling, without waiters: the running thread moves to the ring of the ceiling,
//! and back to its own ring.
//!
//! The code here serves the common case: the thread is alone in the ring that it leaves, and the
//! other ring is empty. `core` serves all other cases.

use ::core::arch::asm;
use ::core::hint::cold_path;

use super::pend;
use crate::core::record::mutex::{CEILING, PLAIN};
use crate::core::record::{SCHEDULER, ThreadBlock, offset};
use crate::core::record::{WithCeiling, mutex_offset as mutex};

/// Takes a mutex for the `running` thread, and raises the thread to the ceiling, if the mutex has
/// no owner, and the thread is below the ceiling and under no other ceiling. Returns whether this
/// was done.
///
/// No switch becomes due by this.
///
/// # Safety
/// The kernel's lock is held, by that thread; the scheduler is preemptive.
#[inline(always)]
pub unsafe fn enter_and_raise(mutex: &WithCeiling, running: &ThreadBlock) -> bool {
    // SAFETY: the caller's; the thread is alone in its ring, and becomes the first in the other
    // ring.
    unsafe {
        asm!(
            "ldr {one}, [{mutex}, #{owner}]",         // one = the owner's word
            "ldr {two}, [{mutex}, #{of_bit}]",        // two = the ceiling's bit
            "ldr {ready}, [{running}, #{next}]",      // ready = the next in its ring
            "cmp {ready}, {running}",                 // is it alone there,
            "it eq",                                  // and
            "cmpeq {one}, #0",                        // does the mutex have no owner?
            "ldr {one}, [{running}, #{limit}]",       // one = its limit
            "bne {otherwise}",                        // it isn't alone, or the mutex is taken
            "subs {ready}, {one}, #2",                // the largest, if it is suspended
            "cmp {ready}, {two}",                     // is the ceiling above its limit?
            "bhs {otherwise}",                        // no, or under a ceiling, or suspended
            "ldr {ready}, [{scheduler}, #{of_ready}]", // ready = the ready priorities
            "eor {one}, {one}, {one}, lsr #1",        // the bit of its priority
            "tst {ready}, {two}",                     // is the ceiling's among them?
            "bne {otherwise}",                        // yes: it has that one, or others have
            "bics {ready}, {one}",                    // its own is left,
            "orrs {ready}, {two}",                    // and the ceiling's has a thread
            "str {ready}, [{scheduler}, #{of_ready}]", // so PendSV knows it
            "lsls {one}, {two}, #1",                  // one = the limit of the ceiling:
            "subs {one}, #1",                         // all bits up to the ceiling's
            "strd {two}, {one}, [{running}, #{bit}]", // the thread's bit and limit
            "clz {two}, {two}",                       // two = the slot of the ceiling
            "add {one}, {scheduler}, {two}, lsl #2",  // one = its entry, without the offset
            "eor {two}, #31",                         // two = the ceiling as a number
            "str {running}, [{one}, #{queue}]",       // the only one in its new ring
            "strb {two}, [{running}, #{priority}]",   // its priority as a number
            "ldr {one}, [{running}, #{held}]",        // one = the first mutex it has
            "add {two}, {running}, #{ceiling}",       // two = the owner, marked: a ceiling
            "strd {two}, {one}, [{mutex}, #{owner}]", // the owner, and the next mutex
            "clz {one}, {one}",                       // 32 if there is no next one
            "orr {two}, {mutex}, {one}, lsr #5",      // plain, if it is the only one
            "str {two}, [{running}, #{held}]",        // the first that it has
            mutex = in(reg) mutex,
            running = in(reg) running,
            scheduler = in(reg) &raw const SCHEDULER,
            one = out(reg) _,
            two = out(reg) _,
            ready = out(reg) _,
            owner = const mutex::OWNER,
            of_bit = const mutex::BIT,
            of_ready = const offset::READY,
            queue = const offset::QUEUE,
            bit = const offset::BIT,
            limit = const offset::LIMIT,
            next = const offset::NEXT,
            priority = const offset::PRIORITY,
            held = const offset::HELD,
            ceiling = const CEILING,
            otherwise = label { return false },
            options(nostack),
        );
    }
    true
}

/// Leaves a mutex, and lowers the `running` thread, its owner, to its own priority, if no thread
/// waits for the mutex, and the thread has no other mutex that counts and is under no other
/// ceiling. Returns whether this was done.
///
/// # Safety
/// The kernel's lock is held, by that thread; the scheduler is preemptive.
#[inline(always)]
pub unsafe fn leave_and_lower(mutex: &WithCeiling, running: &ThreadBlock) -> bool {
    // SAFETY: the caller's; the thread is alone in its ring, and becomes the first in the other
    // ring.
    unsafe {
        asm!(
            "ldr {one}, [{running}, #{held}]",        // one = the first mutex it has
            "ldr {ready}, [{running}, #{next}]",      // ready = the next in its ring
            "ldrb {base}, [{running}, #{of_base}]",   // base = its own priority
            "subs {one}, {mutex}",                    // is it this mutex,
            "cmp {one}, #{plain}",                    // with the mark: no other counts,
            "it eq",                                  // and
            "cmpeq {ready}, {running}",               // is it alone in its ring?
            "ldr {one}, [{running}, #{limit}]",       // one = its limit
            "bne {otherwise}",                        // others wait, or count, or have its priority
            "lsrs {ready}, {one}, #1",                // C = the limit's lowest bit
            "bls {otherwise}",                        // even: it is under a ceiling; 1: suspended
            "eors {one}, {ready}",                    // the bit of its priority
            "ldr {ready}, [{scheduler}, #{of_ready}]", // ready = the ready priorities
            "bics {ready}, {one}",                    // the ceiling's is left
            "movs {one}, #1",                         // one = the lowest bit,
            "lsls {one}, {base}",                     // that of its own
            "tst {ready}, {one}",                     // is a thread of that ready?
            "bne {otherwise}",                        // others have that
            "orrs {ready}, {one}",                    // its own has a thread
            "str {ready}, [{scheduler}, #{of_ready}]", // so PendSV knows it
            "strb {base}, [{running}, #{priority}]",  // its priority as a number
            "eor {base}, #31",                        // base = the slot of its own
            "add {base}, {scheduler}, {base}, lsl #2", // base = its entry, without the offset
            "str {running}, [{base}, #{queue}]",      // the only one in its ring
            "lsls {base}, {one}, #1",                 // base = the limit of its own:
            "subs {base}, #1",                        // all bits up to its own bit
            "strd {one}, {base}, [{running}, #{bit}]", // the thread's bit and limit
            "movs {one}, #0",                         // one = none
            "str {one}, [{mutex}, #{owner}]",         // the mutex has no owner
            "str {one}, [{running}, #{held}]",        // the thread has no mutex
            "cmp {ready}, {base}",                    // is a ready one above the limit?
            "bhi {due}",                              // then a switch is due
            mutex = in(reg) mutex,
            running = in(reg) running,
            scheduler = in(reg) &raw const SCHEDULER,
            one = out(reg) _,
            ready = out(reg) _,
            base = out(reg) _,
            owner = const mutex::OWNER,
            of_ready = const offset::READY,
            queue = const offset::QUEUE,
            bit = const offset::BIT,
            limit = const offset::LIMIT,
            of_base = const offset::BASE,
            next = const offset::NEXT,
            priority = const offset::PRIORITY,
            held = const offset::HELD,
            plain = const PLAIN,
            otherwise = label { return false },
            due = label {
                cold_path();
                pend();
            },
            options(nostack),
        );
    }
    true
}
