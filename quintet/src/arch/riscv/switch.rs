//! Switches between threads: by a call, and behind an interrupt.
//!
//! A thread that waits, or makes a more urgent thread ready, calls: the registers that a function
//! keeps go onto its stack, and those of the other thread come from that thread's stack. Only
//! preemption takes a [trap]. Each way of switching can resume a thread that the other way has
//! suspended:
//!
//! ```text
//!   a suspended thread's stack, ascending:   s0 .. s11 | ra | X | - - | ...
//!     by a call     X = the end of the call, which opens interrupts and returns to ra
//!     by a trap     X = the end of the trap; behind it: the frame of the trap
//!     new           X = `begin`, s0 = entry, s1 = argument, ra = where the entry returns to
//! ```
//!
//! So who resumes a thread loads the registers and jumps to X, with interrupts held off. The end of
//! a trap opens interrupts by the instruction that leaves the frame. So a thread that is suspended
//! again before it has gone on is suspended at the same place: stacks don't grow.
//!
//! Idle is `main`, on main's stack, and only a trap suspends it. While a thread runs, `mscratch`
//! has the place where handlers begin, which is right below what idle has saved there.
//!
//! # Masks
//! The functions here are called with the kernel's lock held, which is that interrupts are held
//! off, and end the section. A level that is raised isn't saved: a thread that has raised one isn't
//! suspended.
//!
//! The scheduler decides, [above](upward). Here are the stacks.

use ::core::arch::naked_asm;
use ::core::ptr::{self, NonNull};

use super::trap::{self, CALL_FRAME, each_of_call};
use super::{interrupts, mask, software};
use crate::arch::upward;
use crate::core::lock::Saved;
use crate::core::record::mutex_offset as mutex;
use crate::core::record::thread::{State, UNTOUCHED};
use crate::core::record::{Ownership, SCHEDULER, ThreadBlock, WaitList, WithCeiling, offset};

pub use crate::core::record::Entry;
pub use trap::in_handler;

/// Lets a switch come as soon as masks allow. From any context.
#[inline(always)]
pub fn pend() {
    software::pend_switch();
}

/// Returns `true` if interrupts were off before a section that found `saved` at its beginning: a
/// critical section of a library is open.
#[inline(always)]
pub const fn interrupts_are_off(saved: Saved) -> bool {
    mask::were_off(saved)
}

/// Returns `true` if a section that found `saved` at its beginning is within one at a ceiling of
/// levels.
#[inline(always)]
pub const fn is_under_level(saved: Saved) -> bool {
    mask::level_of(saved) != 0
}

/// Ends the section of a thread that holds no ceiling.
#[inline(always)]
unsafe fn release() {
    // SAFETY: the caller's: the section was the outermost.
    unsafe { interrupts::enable_interrupts() };
}

/// Switches to `to`, if it isn't null, and ends the section that found 0 at its beginning.
///
/// # Safety
/// The kernel's lock is held, by the thread that was the running one; `to` is now, or null.
#[inline(always)]
unsafe fn switch_or_release(to: *const ThreadBlock, from: &ThreadBlock) {
    // SAFETY: the caller's.
    unsafe {
        match to.as_ref() {
            Some(to) => switch(to, from),
            None => release(),
        }
    }
}

/// Makes a thread ready that was granted what it waited for, and ends the section that found
/// `saved` at its beginning. The thread runs at once if it is the most urgent one, and the caller
/// is a thread within no other section.
///
/// # Safety
/// The kernel's lock is held; the thread is in no ring.
pub unsafe fn ready(thread: &ThreadBlock, saved: Saved) {
    let from = SCHEDULER.running();
    // SAFETY: the caller's.
    unsafe {
        if saved == 0 && !in_handler() {
            switch_or_release(upward::make_ready_and_select(thread), from);
        } else {
            upward::make_ready_and_release(thread, saved);
        }
    }
}

/// Lets the running thread wait, and ends the section that found 0 at its beginning.
///
/// # Safety
/// The kernel's lock is held, by a thread that holds no ceiling; another context will make the
/// thread ready.
pub unsafe fn block(_saved: Saved) {
    let from = SCHEDULER.running();
    // SAFETY: the caller's.
    unsafe { switch(&*upward::select_another(), from) };
}

/// Lets the running thread wait in the empty `list`, and ends the section that found 0 at its
/// beginning.
///
/// # Safety
/// The kernel's lock is held, by a thread; the list's object grants the demand.
pub unsafe fn wait(list: &WaitList<()>) {
    // SAFETY: the caller's.
    unsafe { wait_for(list, ptr::null()) };
}

/// Lets the running thread wait in the empty `list` for a demand, to which `demand` points.
///
/// # Safety
/// As for [`wait`]; code that grants the demand ends it.
pub unsafe fn wait_for(list: &WaitList<()>, demand: *const ()) {
    let from = SCHEDULER.running();
    // SAFETY: the caller's.
    unsafe { switch(&*upward::select_to_wait(list, demand), from) };
}

/// Lets the running thread wait for a notification, and ends the section that found `saved` at its
/// beginning.
///
/// # Safety
/// The kernel's lock is held, by a thread.
pub unsafe fn park(saved: Saved) {
    let from = SCHEDULER.running();
    // SAFETY: the caller's.
    unsafe { switch_or_release(upward::select_to_park(saved), from) };
}

/// Lets the running thread wait for its own flags, and ends the section that found `saved` at its
/// beginning.
///
/// # Safety
/// The kernel's lock is held, by the owner of the flags; code that sets the flags looks at the
/// mark.
pub unsafe fn wait_for_own(mark: NonNull<()>, saved: Saved, wanted: u32) {
    let from = SCHEDULER.running();
    // SAFETY: the caller's.
    unsafe { switch(&*upward::select_to_wait_for_own(mark, saved, wanted), from) };
}

/// Panics: only where time is counted a thread sleeps so, and no time is counted here.
///
/// # Safety
/// As on other architectures.
#[cfg(feature = "time")]
pub unsafe fn sleep(_ticks: u64, _saved: Saved) {
    unreachable!("time isn't counted on RISC-V");
}

#[cfg(feature = "time")]
pub use sleep as sleep_without_ceilings;

/// Lets the next thread of the running thread's priority run, if another one is ready, and ends the
/// section that found 0 at its beginning.
///
/// # Safety
/// The kernel's lock is held, by a thread that holds no ceiling.
pub unsafe fn pass() {
    let from = SCHEDULER.running();
    // SAFETY: the caller's.
    unsafe { switch_or_release(upward::select_next(), from) };
}

/// Takes a mutex for the running thread, and ends the section that found `saved` at its beginning.
///
/// # Safety
/// The kernel's lock is held, by a thread that doesn't have the mutex.
pub unsafe fn enter_or_lend(mutex: &Ownership, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { upward::enter_slowly(mutex, saved) };
}

/// Leaves a mutex, and ends the section that found `saved` at its beginning.
///
/// # Safety
/// The kernel's lock is held, by the owner.
pub unsafe fn leave_and_switch(mutex: &Ownership, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { upward::leave_slowly(mutex, saved) };
}

/// Returns `false`: `core` serves each case.
///
/// # Safety
/// As on other architectures.
pub const unsafe fn enter_and_raise(_mutex: &WithCeiling, _running: &ThreadBlock) -> bool {
    false
}

/// Returns `false`: `core` serves each case.
///
/// # Safety
/// As on other architectures.
pub const unsafe fn leave_and_lower(_mutex: &WithCeiling, _running: &ThreadBlock) -> bool {
    false
}

/// Lets the thread run that the scheduler has just selected, or idle, and ends the section that
/// found 0 at its beginning.
///
/// # Safety
/// The kernel's lock is held, by the thread `from`, which holds no ceiling and is no longer the
/// running thread. `to` is the running thread, and isn't `from`.
#[unsafe(naked)]
pub unsafe extern "C" fn switch(_to: &ThreadBlock, _from: &ThreadBlock) {
    naked_asm!(
        "addi sp, sp, -{call}",
        each_of_call!("sw"),
        "la t0, 1f",
        "sw t0, 52(sp)",                      // X: where it goes on
        "sw sp, 0(a1)",                       // it is suspended
        "tail {resume}",                      // a0 continues
        "1:",
        "csrsi mstatus, {mie}",               // the lock ends, with the thread's stack in use
        "ret",
        call = const CALL_FRAME,
        mie = const interrupts::MIE,
        resume = sym resume,
    )
}

/// Lets another thread run, or idle, as [`switch`] does. Doesn't return.
///
/// # Safety
/// The kernel's lock is held, by a thread that has ended; `to` is the running thread.
pub unsafe fn leave(to: &ThreadBlock) -> ! {
    // SAFETY: the caller's: nothing of this stack is used any more.
    unsafe { resume(to) }
}

/// Continues with `to`, with interrupts held off. Uses no stack but that of `to`.
#[unsafe(naked)]
#[unsafe(export_name = "__quintet_resume")]
unsafe extern "C" fn resume(_to: &ThreadBlock) -> ! {
    naked_asm!(
        "lw t0, {bit}(a0)",
        "lw sp, 0(a0)",                       // where its registers are
        "addi t0, t0, -1",                    // idle's bit is 1, no thread's is
        "bnez t0, 1f",
        "csrw mscratch, zero",                // idle: on main's stack
        "1:",
        each_of_call!("lw"),
        "lw t0, 52(sp)",                      // X
        "addi sp, sp, {call}",
        "jr t0",
        bit = const offset::BIT,
        call = const CALL_FRAME,
    )
}

/// Begins a new thread.
///
/// This function also has numbers as symbols, which take no memory: those that the lab reads, as on
/// ARMv6-M.
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
        "mv a0, s1",                          // its argument; ra is where it returns to
        "csrsi mstatus, {mie}",               // the lock ends, with the thread's stack in use
        "jr s0",                              // its entry
        mie = const interrupts::MIE,
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

/// Prepares a stack, whose end is `end`, for a thread that begins with `entry`, which returns to
/// `exit`. Returns the thread's stack pointer. The other registers of the thread get old words of
/// the stack.
///
/// # Safety
/// The stack has room for a call's registers, no other code uses the stack, and its end is a
/// multiple of 16.
pub unsafe fn prepare(
    end: *mut u32,
    entry: Entry,
    argument: *mut (),
    exit: unsafe extern "C" fn() -> !,
) -> *mut u32 {
    // SAFETY: the caller's: the words are inside the stack.
    unsafe {
        let frame = end.byte_sub(CALL_FRAME);
        frame.write(entry as *const () as usize as u32);
        frame.add(1).write(argument.addr() as u32);
        frame.add(12).write(exit as *const () as usize as u32);
        frame.add(13).write(begin as *const () as usize as u32);
        frame
    }
}

/// Lets traps come to the kernel, and interrupts come, in a program without an application. (An
/// application has done the first, and does the second when its `init` has ended.)
///
/// # Safety
/// At start-up, on main's stack, within no section.
pub unsafe fn initialise() {
    if !trap::has_started() {
        trap::start();
        software::begin();
        // SAFETY: the caller's.
        unsafe { interrupts::enable_interrupts() };
    }
}

/// Runs `work` while interrupts come, and no switch does. For what the switch calls, in the trap
/// with interrupts held off.
pub fn let_interrupts_in(work: impl FnOnce()) {
    software::hold_switches_off();
    // SAFETY: the trap has interrupted no section.
    unsafe { interrupts::enable_interrupts() };
    work();
    interrupts::disable_interrupts();
    software::let_switches_in();
}

/// Defines what lets threads switch after interrupts. No mask needs the ceiling, as the kernel's
/// lock holds every interrupt off. If no thread ever runs under a ceiling of threads, `without
/// ceilings` leaves the code for these ceilings out.
#[doc(hidden)]
#[macro_export]
macro_rules! __switch_exceptions {
    ($ceiling:expr) => {
        $crate::__switch_exceptions!(@define preempt_under_ceiling, 31);
    };
    ($ceiling:expr, without ceilings) => {
        $crate::__switch_exceptions!(@define preempt_never, 0);
    };
    (@define $preempt:ident, $highest:literal) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        extern "Rust" fn __quintet_highest_ceiling() -> ::core::primitive::u32 {
            $highest
        }

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn __quintet_after_interrupts() -> $crate::export::Switch {
            // SAFETY: the trap calls this, with interrupts held off.
            unsafe {
                $crate::export::threads::after_interrupts($crate::export::threads::$preempt)
            }
        }
    };
}
