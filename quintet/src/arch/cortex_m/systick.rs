//! SysTick as a counter that never loses a cycle, with an interrupt at any time.
//!
//! SysTick counts 24 bits down, reloads at 0 and interrupts there. It has no compare register: for
//! an interrupt at a given time the counter has to be started anew, which is a *leg*: LOAD is
//! written with the leg's length, VAL is cleared (so the counter takes LOAD), and LOAD is written
//! with its maximum, so that after the leg the counter goes on for a whole round.
//!
//! ```text
//!            set              leg ends: interrupt
//!   VAL   ────┐ length-1 ... 2 1 0 │ 0xffffff 0xfffffe ...      a round of 2^24
//!             │                    │
//!   time      W                   END               time = END - VAL, VAL as a signed number
//! ```
//!
//! One word, END, gives the time of every reading: before the end of the leg VAL is the distance to
//! it; behind, VAL is negative (as a number of 24 bits). No interrupt has to have been served for
//! that, nor does a pending wrap have to be looked for. It holds while the leg is below 2^23 cycles
//! and the next one begins less than 2^23 behind it. So the handler begins one, also where nothing
//! is ahead for which it could: if the times that it is set for are all past when it is set, or it
//! has more to do than in time, the leg is one of the longest, and the interrupt is pended.
//!
//! Where a leg begins, the time between reading VAL and clearing it must be known exactly, or time
//! drifts with every leg. The two instructions lie in one aligned word, so that no wait state of
//! the flash comes between; [`start`] measures once how many cycles they take on this core. What
//! remains on silicon is a stall of the private peripheral bus between the two: a debugger's
//! access, nothing else.

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
/// ICSR: SysTick is pending; written, it becomes so.
pub(super) const PENDSTSET: u32 = 1 << 26;
/// CSR: count the processor's cycles, and interrupt.
pub(super) const RUN: u32 = 0b111;
/// The highest value of the counter.
const MAX: u32 = 0x00ff_ffff;
/// SysTick's number among the exceptions.
pub(super) const EXCEPTION: u8 = 15;

/// The longest leg: with the time by which the handler may be late, it is within half a round.
pub const LEG: u32 = (1 << 23) - 1;

/// The shortest leg, in cycles: the end must not come before LOAD is written again. Shorter ones
/// pend the interrupt at once.
const SHORTEST: i32 = 48;
/// If the present leg ends within so many cycles, it is left to end: LOAD must not be written when
/// the counter may take it.
///
/// Both are enough where each word of the code takes up to three wait states, on an ARMv6-M too.
const IMMINENT: u32 = 64;

/// If the present leg ended so many cycles ago, the next one begins, whatever is set: before half a
/// round is over, with as much again for a handler that is late.
const BEHIND: i32 = -(1 << 22);

/// The time at which the present leg ends.
static END: AtomicU32 = AtomicU32::new(0);
/// The cycles from reading VAL to clearing it.
static PAIR: AtomicU32 = AtomicU32::new(0);

/// VAL as a distance to the end of the leg, negative behind it.
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
    // SAFETY: every Cortex-M with SysTick has the register. Any value that is written clears it.
    unsafe {
        asm!(
            ".p2align 2",
            "ldr.n r0, [r1]",
            "str.n r0, [r1]",
            out("r0") value,
            in("r1") CVR,
            options(nostack, preserves_flags)
        );
    }
    value
}

/// The cycles since the start, modulo 2^32. From any context.
#[inline(always)]
pub fn counter() -> u32 {
    loop {
        let end = END.load(Ordering::Relaxed);
        let value = value();
        // If a leg began in between, the two don't belong together.
        if END.load(Ordering::Relaxed) == end {
            return end.wrapping_sub(distance(value) as u32);
        }
    }
}

/// Makes the interrupt come at the time `at`, at most [`LEG`] cycles ahead; at once if that is past
/// or nearly so. If an interrupt is about to come anyway, it comes instead.
///
/// Holds every interrupt off for about 30 cycles: a reader above the kernel's ceiling must not see
/// the counter cleared and END not written.
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

/// Begins a leg of `length` cycles, where the present one ends at the time `end`. Interrupts are
/// held off, and the present one isn't about to end.
#[inline(always)]
fn begin(end: u32, length: u32, pair: u32) {
    set_load(length - 1);
    let last = read_and_clear();
    let begun = end.wrapping_sub(distance(last) as u32).wrapping_add(pair);
    END.store(begun.wrapping_add(length), Ordering::Relaxed);
    // The counter takes LOAD with its next cycle. (QEMU's takes longer.)
    while value() == 0 {}
    set_load(MAX);
}

/// Begins another leg if the end of the present one is long ago, and returns the counter. For the
/// handler, which then [sets](set) the interrupt anew: it no longer comes when it would have.
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

/// Starts counting cycles of the processor, with the interrupt at the priority byte `priority`.
///
/// # Safety
/// Called once; SysTick is nobody else's.
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
    // Twice: the first run brings the code into a cache, where there is one.
    let _ = measure_pair();
    PAIR.store(measure_pair(), Ordering::Relaxed);
    // SAFETY: from the matching `raise`.
    unsafe { primask::restore(before) };
}

/// Measures the cycles between the two instructions of [`read_and_clear`]: two that lie in one word
/// here as well.
///
/// The same four accesses twice: once the third clears the counter, once it writes LOAD with what
/// is there anyway. Without clearing, the first and the last reading give the time of all; with it,
/// the first two give the time before the pair's reading, and the last one the time behind the
/// clearing.
#[inline(always)]
fn measure_pair() -> u32 {
    let (first, last): (u32, u32);
    let (first_cleared, second_cleared, last_cleared): (u32, u32, u32);
    // SAFETY: every Cortex-M with SysTick has the registers. LOAD keeps its value.
    unsafe {
        asm!(
            ".p2align 4",
            "nop",
            "ldr.n r0, [r3]",
            "ldr.n r1, [r3]",
            "str.n r4, [r5]",
            "ldr.n r2, [r3]",
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
            "nop",
            "ldr.n r0, [r3]",
            "ldr.n r1, [r3]",
            "str.n r1, [r3]",
            "ldr.n r2, [r3]",
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
