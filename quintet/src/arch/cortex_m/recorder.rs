//! The recorder, for the feature `recorder`: writes events into a ring in RAM, each with the cycle
//! counter's value.
//!
//! ```text
//!  0   "QREC"     the mark by which tools find the ring in a dump
//!  4   1          the version of this form
//!  5   8          the bytes of an event
//!  6   0          (two bytes)
//!  8   capacity   how many events the ring holds, a power of two
//!  12  written    how many events were written since the start; the next one has the place
//!                 written modulo capacity
//!  16  events     each: the cycle counter, then the kind in the highest byte, and what it is about
//! ```
//! All numbers are little-endian words. `docs/recorder.md` lists the kinds.
//!
//! An event is written with interrupts disabled, so that events stand in the order of their times,
//! in which no event is within another.

use ::core::cell::UnsafeCell;

use super::cycle_counter;

/// The version of the ring's form.
const VERSION: u8 = 1;

/// The places of fields.
const WRITTEN: usize = 12;
const EVENTS: usize = 16;

/// A thread runs from now on.
const SWITCHED: u32 = 5;
/// So many events wait in a queue.
const QUEUE: u32 = 10;

/// How many events the ring holds.
const CAPACITY: usize = match option_env!("QUINTET_RECORDER_EVENTS") {
    Some(text) => number(text),
    None => 256,
};

const _: () = assert!(
    CAPACITY.is_power_of_two() && CAPACITY >= 16 && CAPACITY <= 1 << 16,
    "QUINTET_RECORDER_EVENTS is a power of two from 16 to 65536"
);

/// The number of bits of a place.
const BITS: u32 = CAPACITY.trailing_zeros();

const fn number(text: &str) -> usize {
    let mut value = 0;
    let mut rest = text.as_bytes();
    while let [digit, behind @ ..] = rest {
        assert!(digit.is_ascii_digit(), "QUINTET_RECORDER_EVENTS is a number, as 512");
        value = 10 * value + (*digit - b'0') as usize;
        rest = behind;
    }
    value
}

/// The ring.
#[repr(C)]
struct Ring {
    mark: UnsafeCell<[u8; 4]>,
    form: UnsafeCell<[u8; 4]>,
    capacity: UnsafeCell<u32>,
    written: UnsafeCell<u32>,
    events: UnsafeCell<[[u32; 2]; CAPACITY]>,
}

const _: () = assert!(::core::mem::offset_of!(Ring, written) == WRITTEN);
const _: () = assert!(::core::mem::offset_of!(Ring, events) == EVENTS);

// SAFETY: it is written with interrupts disabled alone.
unsafe impl Sync for Ring {}

/// By this symbol tools find the ring.
#[unsafe(no_mangle)]
static __quintet_recorder: Ring = Ring {
    mark: UnsafeCell::new([0; 4]),
    form: UnsafeCell::new([0; 4]),
    capacity: UnsafeCell::new(0),
    written: UnsafeCell::new(0),
    events: UnsafeCell::new([[0; 2]; CAPACITY]),
};

/// Begins to record, or begins anew. Returns `false` if there is no cycle counter: then all events
/// have the time 0.
pub fn start() -> bool {
    let saved = super::primask::raise();
    let counts = cycle_counter::start().is_some();
    // SAFETY: no interrupt comes, so nobody else writes.
    unsafe {
        __quintet_recorder.mark.get().write_volatile(*b"QREC");
        __quintet_recorder.form.get().write_volatile([VERSION, 8, 0, 0]);
        __quintet_recorder.capacity.get().write_volatile(CAPACITY as u32);
        __quintet_recorder.written.get().write_volatile(0);
    }
    // SAFETY: the section that began above.
    unsafe { super::primask::restore(saved) };
    counts
}

/// Writes an event. From any context.
#[inline(always)]
pub fn record(event: u32) {
    // SAFETY: it only writes into the ring.
    unsafe { __quintet_record(event) }
}

/// Writes how many events wait in a queue. `head` is where the queue has this number, as a byte.
/// From any context.
#[inline(always)]
pub fn record_queue(head: *const ()) {
    // SAFETY: it reads a byte of the queue, and writes into the ring.
    unsafe { __quintet_record_queue(head) }
}

/// Returns the number of the running exception.
#[inline(always)]
pub fn exception() -> u32 {
    let number: u32;
    // SAFETY: reading IPSR has no effect.
    unsafe {
        ::core::arch::asm!(
            "mrs {}, IPSR", out(reg) number, options(nomem, nostack, preserves_flags),
        );
    };
    number
}

/// Writes the event in r0.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_record(event: u32) {
    ::core::arch::naked_asm!(
        "movw r1, #:lower16:{ring}",          // r1 = the ring
        "movt r1, #:upper16:{ring}",          // the upper half of the address
        "movw r3, #0x1004",                   // r3 = the address of CYCCNT
        "movt r3, #0xe000",                   // the upper half of the address
        "mrs r12, PRIMASK",                   // r12 = whether interrupts are disabled
        "cpsid i",                            // they are from here on
        "ldr r2, [r1, #{written}]",           // r2 = how many events there were
        "ldr r3, [r3]",                       // r3 = now
        "adds r2, #1",                        // one more
        "str r2, [r1, #{written}]",           // is noted
        "subs r2, #1",                        // its number
        "ubfx r2, r2, #0, #{bits}",           // and its place
        "add r1, r1, r2, lsl #3",             // r1 = the address of the place, less the header
        "str r3, [r1, #{events}]",            // its time
        "str r0, [r1, #{events} + 4]",        // and what it is
        "msr PRIMASK, r12",                   // interrupts are as before
        "bx lr",
        ring = sym __quintet_recorder,
        written = const WRITTEN,
        events = const EVENTS,
        bits = const BITS,
    )
}

/// Writes how many events wait in the queue at r0: the byte there, and a part of the address.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_record_queue(head: *const ()) {
    ::core::arch::naked_asm!(
        "ldrb r1, [r0]",                      // r1 = how many events wait
        "ubfx r0, r0, #2, #16",               // r0 = the part of the address that says which queue
        "orr r0, r0, r1, lsl #16",            // before it the number
        "orr r0, r0, #{queue}",               // and the kind
        "b __quintet_record",
        queue = const QUEUE << 24,
    )
}

/// Writes that the thread in r0 runs from now on, at the end of the counting of a switch. r0 and r1
/// stay; r2 to r5 and r12 change.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_record_switch() {
    ::core::arch::naked_asm!(
        "movw r2, #:lower16:{ring}",          // r2 = the ring
        "movt r2, #:upper16:{ring}",          // the upper half of the address
        "movw r4, #0x1004",                   // r4 = the address of CYCCNT
        "movt r4, #0xe000",                   // the upper half of the address
        "ubfx r5, r0, #0, #24",               // r5 = the address of the thread's record,
        "orr r5, r5, #{switched}",            // behind the kind
        "mrs r12, PRIMASK",                   // r12 = whether interrupts are disabled
        "cpsid i",                            // they are from here on
        "ldr r3, [r2, #{written}]",           // r3 = how many events there were
        "ldr r4, [r4]",                       // r4 = now
        "adds r3, #1",                        // one more
        "str r3, [r2, #{written}]",           // is noted
        "subs r3, #1",                        // its number
        "ubfx r3, r3, #0, #{bits}",           // and its place
        "add r2, r2, r3, lsl #3",             // r2 = the address of the place, less the header
        "strd r4, r5, [r2, #{events}]",       // its time, and what it is
        "msr PRIMASK, r12",                   // interrupts are as before
        "bx lr",
        ring = sym __quintet_recorder,
        written = const WRITTEN,
        events = const EVENTS,
        bits = const BITS,
        switched = const SWITCHED << 24,
    )
}
