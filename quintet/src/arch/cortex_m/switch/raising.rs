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
            "ldr {one}, [{mutex}, #{owner}]",
            "ldr {two}, [{mutex}, #{of_bit}]",
            "ldr {ready}, [{running}, #{next}]",
            "cmp {ready}, {running}",
            "it eq",
            "cmpeq {one}, #0",
            "ldr {one}, [{running}, #{limit}]",
            "bne {otherwise}",                // others of its priority are ready, or have it
            "subs {ready}, {one}, #2",        // the largest, if it is suspended
            "cmp {ready}, {two}",
            "bhs {otherwise}",                // above the ceiling, or under one, or suspended
            "ldr {ready}, [{scheduler}, #{of_ready}]",
            "eor {one}, {one}, {one}, lsr #1", // the bit of its priority
            "tst {ready}, {two}",
            "bne {otherwise}",                // it has the ceiling's, or others that are ready
            "bics {ready}, {one}",
            "orrs {ready}, {two}",
            "str {ready}, [{scheduler}, #{of_ready}]",
            "lsls {one}, {two}, #1",
            "subs {one}, #1",
            "strd {two}, {one}, [{running}, #{bit}]",
            "clz {two}, {two}",
            "add {one}, {scheduler}, {two}, lsl #2",
            "eor {two}, #31",
            "str {running}, [{one}, #{queue}]",
            "strb {two}, [{running}, #{priority}]",
            "ldr {one}, [{running}, #{held}]",
            "add {two}, {running}, #{ceiling}",
            "strd {two}, {one}, [{mutex}, #{owner}]",
            "clz {one}, {one}",
            "orr {two}, {mutex}, {one}, lsr #5", // plain, if it is the only one
            "str {two}, [{running}, #{held}]",
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
            "ldr {one}, [{running}, #{held}]",
            "ldr {ready}, [{running}, #{next}]",
            "ldrb {base}, [{running}, #{of_base}]",
            "subs {one}, {mutex}",
            "cmp {one}, #{plain}",
            "it eq",
            "cmpeq {ready}, {running}",
            "ldr {one}, [{running}, #{limit}]",
            "bne {otherwise}",                // others wait, or count, or have its priority
            "lsrs {ready}, {one}, #1",
            "bls {otherwise}",                // even: it is under a ceiling; 1: suspended
            "eors {one}, {ready}",            // the bit of its priority
            "ldr {ready}, [{scheduler}, #{of_ready}]",
            "bics {ready}, {one}",
            "movs {one}, #1",
            "lsls {one}, {base}",             // that of its own
            "tst {ready}, {one}",
            "bne {otherwise}",                // others have that
            "orrs {ready}, {one}",
            "str {ready}, [{scheduler}, #{of_ready}]",
            "strb {base}, [{running}, #{priority}]",
            "eor {base}, #31",
            "add {base}, {scheduler}, {base}, lsl #2",
            "str {running}, [{base}, #{queue}]",
            "lsls {base}, {one}, #1",
            "subs {base}, #1",
            "strd {one}, {base}, [{running}, #{bit}]",
            "movs {one}, #0",
            "str {one}, [{mutex}, #{owner}]",
            "str {one}, [{running}, #{held}]",
            "cmp {ready}, {base}",
            "bhi {due}",
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
