//! Switches between threads on ARMv6-M: by a call, and by PendSV.
//!
//! This is the switch of [ARMv7-M](https://developer.arm.com/documentation/ddi0403) with the means
//! of ARMv6-M. There is no mask by priority: the kernel's lock is PRIMASK. Few instructions use
//! r8 to r11, so the registers are in another order on a suspended thread's stack:
//!
//! ```text
//!   ascending:   r8 .. r11 | r4 .. r7 | X | ...
//!   by a call     X = the return address                  behind it: the caller's frame
//!   by PendSV     X = `__quintet_resume`                   behind it: the hardware's frame
//!   new           X = `begin`, r4 = entry, r5 = argument
//! ```
//!
//! Idle is `main`, on the main stack. PendSV suspends idle, with the hardware's frame on the main
//! stack, and nine words on the process stack for the registers. So idle is no special case.
//!
//! # Masks
//! The functions here are called with the kernel's lock held, and end the section as soon as the
//! scheduler knows the new running thread. No mask could hold off PendSV alone while the stack
//! changes. So PendSV may come there, at each instruction, and [completes](taking_over) what the
//! call has begun: it takes the thread that is left as suspended, and the thread that is about to
//! run as not yet resumed. Both are on their stacks as if PendSV had come before or after the call.
//! PendSV recognises these places by the address at which it has interrupted, and looks at the
//! address only if r0 is the control block of the running thread, as it is at all these places.
//!
//! A section is PRIMASK, which the hardware doesn't stack. A thread in a section of the user's,
//! such as a critical section, has PRIMASK set, so that PendSV doesn't come. A
//! [pause](super::mask::without_switches) is noted in a word, as it lets interrupts come. PendSV
//! then notes that a switch is due, and returns.
//!
//! PendSV switches to a more urgent thread without the lock, for the reasons that hold on ARMv7-M.
//!
//! # Sources
//! Armv6-M Architecture Reference Manual: B1.5.6 (stack frames), B1.5.7 (alignment), B1.5.8
//! (returns), A2.3.1 and B1.5.10 (loads and stores of several registers begin anew after an
//! interrupt, and may have loaded some of the registers).

use ::core::arch::{asm, naked_asm};

use crate::core::lock::Saved;
use crate::core::record::mutex_offset as mutex;
use crate::core::record::thread::{State, UNTOUCHED};
use crate::core::record::{ThreadBlock, WithCeiling, offset};

#[path = "switch_masked/calls.rs"]
mod calls;
#[path = "switch_masked/exceptions.rs"]
mod exceptions;
#[path = "switch_masked/lending.rs"]
mod lending;
#[path = "switch_masked/processes.rs"]
mod processes;
#[path = "switch_masked/starting.rs"]
mod starting;

pub use calls::{block, leave, park, pass, ready, switch, wait, wait_for, wait_for_own};
#[cfg(feature = "time")]
pub use calls::{sleep, sleep as sleep_without_ceilings};
pub use lending::{enter_or_lend, leave_and_switch};
pub use starting::initialise;

/// The interrupt control and state register.
const ICSR: *mut u32 = 0xe000_ed04 as *mut u32;
/// The bit of the register that pends PendSV.
pub const PENDSVSET: u32 = 1 << 28;

/// The offset of a process's floating-point registers: there are none.
pub const FLOATING_REGISTERS: usize = 0;
/// The offset of a process's rights to use floating-point registers: there are none.
pub const FLOATING_RIGHTS: usize = 0;

/// Pends PendSV, which switches as soon as masks allow. From any context.
#[inline(always)]
pub fn pend() {
    ::core::sync::atomic::compiler_fence(::core::sync::atomic::Ordering::SeqCst);
    // SAFETY: every Cortex-M has the register; a bit written as 0 has no effect.
    unsafe { ICSR.write_volatile(PENDSVSET) };
}

/// Returns `true` if a section that found `saved` at its beginning is within another one.
#[inline(always)]
pub const fn is_under_level(saved: Saved) -> bool {
    saved != 0
}

/// Returns `false`: the value that a section finds says it, as both are PRIMASK.
#[inline(always)]
pub const fn interrupts_are_off(_saved: Saved) -> bool {
    false
}

/// Returns `true` in an interrupt's handler, which may have interrupted a switch.
#[inline(always)]
pub fn in_handler() -> bool {
    let number: u32;
    // SAFETY: reading IPSR has no effect.
    unsafe { asm!("mrs {}, IPSR", out(reg) number, options(nomem, nostack, preserves_flags)) };
    number != 0
}

/// Returns `false`: core serves all cases.
///
/// # Safety
/// As on ARMv7-M.
#[inline(always)]
pub const unsafe fn enter_and_raise(_mutex: &WithCeiling, _running: &ThreadBlock) -> bool {
    false
}

/// Returns `false`: core serves all cases.
///
/// # Safety
/// As on ARMv7-M.
#[inline(always)]
pub const unsafe fn leave_and_lower(_mutex: &WithCeiling, _running: &ThreadBlock) -> bool {
    false
}

/// Begins a new thread.
///
/// This function also has numbers as symbols, which take no memory: the offsets of the fields of a
/// control block that the lab reads, the offset of a mutex's owner, the state of an ended thread,
/// the fill of a stack, whether one guard serves all stacks, and whether r8 to r11 come first on
/// the stack of a suspended thread.
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!(
        ".macro quintet_field name, offset",
        ".global __quintet_thread_\\name",
        ".set __quintet_thread_\\name, \\offset",
        ".endm",
        "quintet_field next, {next}",
        "quintet_field state, {state}",
        "quintet_field ended, {ended}",
        "quintet_field bit, {bit}",
        "quintet_field base, {base}",
        "quintet_field priority, {priority}",
        "quintet_field limit, {limit}",
        "quintet_field ceiling, {ceiling}",
        "quintet_field about, {about}",
        "quintet_field place, {place}",
        "quintet_field waiter, {waiter}",
        "quintet_field joiner, {joiner}",
        "quintet_field marks, {marks}",
        "quintet_field owner, {owner}",
        "quintet_field untouched, {untouched}",
        "quintet_field guard_moves, 0",
        "quintet_field high_first, 1",
        "mov r0, r5",                         // its argument
        "mov lr, r6",                         // its return address
        "bx r4",                              // its entry
        next = const offset::NEXT,
        state = const offset::STATE,
        ended = const State::Ended as u8,
        bit = const offset::BIT,
        base = const offset::BASE,
        priority = const offset::PRIORITY,
        limit = const offset::LIMIT,
        ceiling = const offset::CEILING,
        about = const offset::ABOUT,
        place = const offset::PLACE,
        waiter = const offset::WAITER,
        joiner = const offset::JOINER,
        marks = const offset::MARKS,
        owner = const mutex::OWNER,
        untouched = const UNTOUCHED,
    )
}

pub use crate::core::record::Entry;

/// Prepares a stack, whose end is `end`, for a thread that begins with `entry`, which returns to
/// `exit`. Returns the thread's stack pointer. The other registers of the thread get old words of
/// the stack.
///
/// # Safety
/// The stack has room for nine words, no other code uses the stack, and its end is a multiple of 8.
pub unsafe fn prepare(
    end: *mut u32,
    entry: Entry,
    argument: *mut (),
    exit: unsafe extern "C" fn() -> !,
) -> *mut u32 {
    // SAFETY: the caller's: the words are inside the stack.
    unsafe {
        let frame = end.sub(9);
        frame.add(4).write(entry as *const () as usize as u32);
        frame.add(5).write(argument.addr() as u32);
        frame.add(6).write(exit as *const () as usize as u32);
        frame.add(8).write(begin as *const () as usize as u32);
        frame
    }
}
