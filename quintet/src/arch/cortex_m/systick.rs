//! SysTick as a counter that never loses a cycle, with an interrupt at any time.
//!
//! SysTick counts 24 bits down, reloads at 0 and interrupts there. SysTick has no compare register.
//! For an interrupt at a given time the counter has to be restarted, which begins a *leg*: LOAD is
//! written with the leg's length, and VAL is cleared (so the counter takes LOAD). Then LOAD is
//! written with its maximum, so that after the leg the counter runs for a whole round.
//!
//! ```text
//!            set              leg ends: interrupt
//!   VAL   ────┐ length-1 ... 2 1 0 │ 0xffffff 0xfffffe ...      a round of 2^24
//!             │                    │
//!   time      W                   END               time = END - VAL, VAL as a signed number
//! ```
//!
//! One word, END, gives the time of every reading: before the end of the leg, VAL is the distance
//! to the end; after it, VAL is negative (as a number of 24 bits). So a reader doesn't depend on
//! the handler, and doesn't check for a pending wrap. This holds while the leg is below 2^23 cycles
//! and the next leg begins less than 2^23 cycles after its end. So the handler always begins a leg,
//! even if nothing is ahead. If all times are past when they are set, or the handler has too much
//! to do, the leg is one of the longest, and the interrupt is pended.
//!
//! At the beginning of a leg, the time between the read of VAL and its clear must be known exactly,
//! or time drifts with every leg. The two instructions lie in one aligned word, so that no wait
//! state of the flash comes between. [`start`] measures once how many cycles they take on this
//! core. On silicon, only one thing remains that can disturb this: a stall of the private
//! peripheral bus between the two, by a debugger's access.

use ::core::arch::asm;
use ::core::hint::cold_path;
use ::core::sync::atomic::{AtomicU32, Ordering, compiler_fence};

use super::{primask, set_exception_priority};

/// Control: enable, interrupt, clock source.
pub(super) const CSR: *mut u32 = 0xe000_e010 as *mut u32;
/// LOAD.
pub(super) const RVR: *mut u32 = 0xe000_e014 as *mut u32;
/// VAL.
pub(super) const CVR: *mut u32 = 0xe000_e018 as *mut u32;
/// Interrupt control and state.
pub(super) const ICSR: *mut u32 = 0xe000_ed04 as *mut u32;
/// In ICSR: SysTick is pending. A write of this bit pends SysTick.
pub(super) const PENDSTSET: u32 = 1 << 26;
/// In CSR: count the processor's cycles, and interrupt.
pub(super) const RUN: u32 = 0b111;
/// The highest value of the counter.
const MAX: u32 = 0x00ff_ffff;
/// SysTick's number among the exceptions.
pub(super) const EXCEPTION: u8 = 15;

/// The longest leg. Together with the largest delay of the handler, this is within half a round.
pub const LEG: u32 = (1 << 23) - 1;

/// The shortest leg, in cycles: the end must not come before LOAD is written again. A shorter leg
/// pends the interrupt at once.
const SHORTEST: i32 = 48;
/// If the present leg ends within this number of cycles, no new leg begins: LOAD must not be
/// written when the counter may take it.
///
/// Both numbers are enough if each word of the code takes up to three wait states, even on an
/// ARMv6-M.
const IMMINENT: u32 = 64;

/// If the present leg ended this number of cycles ago, the next one begins for every setting. This
/// is before half a round is over, with the same time again for a late handler.
const BEHIND: i32 = -(1 << 22);

/// The time at which the present leg ends.
static END: AtomicU32 = AtomicU32::new(0);
/// The cycles from the read of VAL to its clear.
static PAIR: AtomicU32 = AtomicU32::new(0);

/// Returns VAL as a distance to the end of the leg, negative after the end.
#[inline(always)]
fn distance(value: u32) -> i32 {
    (value << 8) as i32 >> 8
}

/// Reads VAL.
#[inline(always)]
fn value() -> u32 {
    // SAFETY: every Cortex-M with SysTick has the register.
    unsafe { CVR.read_volatile() }
}

/// Writes LOAD.
#[inline(always)]
fn set_load(load: u32) {
    // SAFETY: every Cortex-M with SysTick has the register.
    unsafe { RVR.write_volatile(load) };
}

/// Reads VAL and clears it, with nothing between the two.
#[inline(always)]
fn read_and_clear() -> u32 {
    let value: u32;
    // Low registers: the instructions are halfwords, and one fetch brings both.
    //
    // SAFETY: every Cortex-M with SysTick has the register. A write of any value clears it.
    unsafe {
        asm!(
            ".p2align 2",
            "ldr.n r0, [r1]",                 // the last value of this leg
            "str.n r0, [r1]",                 // the next leg begins
            out("r0") value,
            in("r1") CVR,
            options(nostack, preserves_flags)
        );
    }
    value
}

/// Returns the cycles since the start, modulo 2^32. From any context.
#[inline(always)]
pub fn counter() -> u32 {
    loop {
        let end = END.load(Ordering::Relaxed);
        let value = value();
        // If a leg began in between, the two values don't belong together.
        if END.load(Ordering::Relaxed) == end {
            return end.wrapping_sub(distance(value) as u32);
        }
    }
}

/// Lets the interrupt come at the time `at`, at most [`LEG`] cycles ahead. If this time is past or
/// almost, the interrupt comes at once. If the end of the present leg is about to interrupt anyway,
/// that interrupt comes instead.
///
/// Holds every interrupt off for about 30 cycles: a reader above the kernel's ceiling must not see
/// the cleared counter with the old END.
#[inline(always)]
pub fn set(at: u32) {
    let pair = PAIR.load(Ordering::Relaxed);
    let before = primask::raise();
    let end = END.load(Ordering::Relaxed);
    let now = value();
    let left = at.wrapping_sub(end) as i32 + distance(now);
    if left >= SHORTEST && now >= IMMINENT {
        begin(end, left as u32, pair);
    } else if now >= IMMINENT {
        pend();
        if distance(now) < BEHIND {
            cold_path();
            begin(end, LEG, pair);
        }
    }
    // SAFETY: from the matching `raise`.
    unsafe { primask::restore(before) };
}

/// Begins a leg of `length` cycles. The present leg ends at the time `end`. Interrupts are held
/// off, and the present leg isn't about to end.
#[inline(always)]
fn begin(end: u32, length: u32, pair: u32) {
    set_load(length - 1);
    let last = read_and_clear();
    let begun = end.wrapping_sub(distance(last) as u32).wrapping_add(pair);
    END.store(begun.wrapping_add(length), Ordering::Relaxed);
    // The counter takes LOAD with its next cycle. (QEMU's counter takes longer.)
    while value() == 0 {}
    set_load(MAX);
}

/// Begins another leg if the end of the present one is long ago, and returns the counter. The
/// handler calls this, and then [sets](set) the interrupt again, as the old setting is lost.
#[inline(never)]
pub fn keep_up() -> u32 {
    let before = primask::raise();
    if distance(value()) < BEHIND {
        begin(END.load(Ordering::Relaxed), LEG, PAIR.load(Ordering::Relaxed));
    }
    // SAFETY: from the matching `raise`.
    unsafe { primask::restore(before) };
    counter()
}

/// Makes the interrupt pending.
#[inline(always)]
pub fn pend() {
    compiler_fence(Ordering::SeqCst);
    // SAFETY: every Cortex-M with SysTick has the register; bits written as 0 have no effect.
    unsafe { ICSR.write_volatile(PENDSTSET) };
}

/// Starts to count cycles of the processor, with the interrupt at the priority byte `priority`.
///
/// # Safety
/// Called once; no other code uses SysTick.
pub unsafe fn start(priority: u8) {
    let before = primask::raise();
    // SAFETY: every Cortex-M with SysTick has these registers, and the caller owns them.
    unsafe {
        CSR.write_volatile(0);
        set_exception_priority(EXCEPTION, priority);
        RVR.write_volatile(MAX);
        CVR.write_volatile(0);
        CSR.write_volatile(RUN);
    }
    while value() == 0 {}
    // Twice: the first run brings the code into a cache, if there is one.
    let _ = measure_pair();
    PAIR.store(measure_pair(), Ordering::Relaxed);
    // SAFETY: from the matching `raise`.
    unsafe { primask::restore(before) };
}

/// Measures the cycles between the two instructions of [`read_and_clear`], by two instructions that
/// lie in one word here as well.
///
/// The same four accesses are made twice. In the second run the third access clears the counter; in
/// the first run it writes LOAD with the present value. In the first run, the first and the last
/// reading give the time of all accesses. In the second run, the first two readings give the time
/// before the pair's read, and the last one gives the time after the clear.
#[inline(always)]
fn measure_pair() -> u32 {
    let (first, last): (u32, u32);
    let (first_cleared, second_cleared, last_cleared): (u32, u32, u32);
    // SAFETY: every Cortex-M with SysTick has the registers. LOAD keeps its value.
    unsafe {
        asm!(
            ".p2align 4",
            "nop",                            // the pair lies as in the other function
            "ldr.n r0, [r3]",                 // the counter at the beginning
            "ldr.n r1, [r3]",                 // as the pair's read
            "str.n r4, [r5]",                 // LOAD is written with its own value
            "ldr.n r2, [r3]",                 // and at the end
            out("r0") first,
            out("r1") _,
            out("r2") last,
            in("r3") CVR,
            in("r5") RVR,
            in("r4") MAX,
            options(nostack, preserves_flags)
        );
        asm!(
            ".p2align 4",
            "nop",                            // the pair lies as in the other function
            "ldr.n r0, [r3]",                 // the counter at the beginning
            "ldr.n r1, [r3]",                 // as the pair's read
            "str.n r1, [r3]",                 // as the pair's clear
            "ldr.n r2, [r3]",                 // the time since the clear
            out("r0") first_cleared,
            out("r1") second_cleared,
            out("r2") last_cleared,
            in("r3") CVR,
            options(nostack, preserves_flags)
        );
    }
    let all = first.wrapping_sub(last) & MAX;
    let before = first_cleared.wrapping_sub(second_cleared) & MAX;
    // A cleared counter shows 0, then LOAD.
    let behind = (MAX + 1).wrapping_sub(last_cleared) & MAX;
    all.wrapping_sub(before + behind) & MAX
}
