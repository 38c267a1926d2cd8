//! Switches between threads: by a call, and by PendSV.
//!
//! A thread that waits, or makes a more urgent thread ready, calls: its callee-saved registers go
//! onto its stack, and those of the other thread come from that thread's stack. Only preemption
//! takes an exception. Each way of switching can resume a thread that the other way has suspended:
//!
//! ```text
//! a suspended thread's stack, ascending:   r4 .. r11 | X | ...
//!   by a call     X = the return address                  behind it: the caller's frame
//!   by PendSV     X = `__quintet_resume`                   behind it: the hardware's frame
//!   new           X = `begin`, r4 = entry, r5 = argument
//! ```
//!
//! The call ends with `pop {r4-r11, pc}` in all cases. `__quintet_resume` then lets the hardware
//! unstack its frame, by SVC. PendSV compares X with this one address, and turns the frame of a
//! call into a hardware's frame.
//!
//! Idle is `main`, on the main stack. At each switch this stack has no other frames, as all
//! interrupts are above PendSV. Only PendSV suspends idle. The hardware's frame stays on the main
//! stack. For the registers there are nine words on the process stack, as for a thread, so that
//! idle is no special case.
//!
//! PendSV may suspend a thread that a call resumes before the thread has continued. Then the thread
//! is [put back](taking_back), so that stacks don't grow by a frame each time.
//!
//! # Floating point
//! If the target passes arguments in floating-point registers, every thread may use them, but only
//! a thread that does pays for this. A call sees by the hardware's bit CONTROL.FPCA whether there
//! is anything to save, and PendSV sees this by bit 4 of EXC_RETURN. Separate stubs restore the
//! saved registers, so that threads without floating point pay for one test.
//!
//! # Masks
//! The functions here are called with the kernel's lock held, and end the section. From the time
//! when the scheduler knows the new running thread until the new stack is in use, only PendSV is
//! held off: BASEPRI has the priority of PendSV, which nothing else has. The hardware doesn't stack
//! BASEPRI. So all code that may run while another context has raised BASEPRI (jobs, idle) restores
//! the value that the code found.
//!
//! PendSV switches to a more urgent thread without the lock. A job in between may make another
//! thread ready, and then compares this thread with all ready threads. If the job pends nothing, a
//! thread that is at least as urgent is found already: PendSV has found that thread, or is pended
//! for it. Any other change that a job makes pends PendSV, which looks again. Such changes are: to
//! suspend a thread that may be about to run, or lower its priority; or to resume a thread that is
//! about to be left, or raise its priority. Every other switch is decided under the lock.
//!
//! # Sources
//! Armv7-M Architecture Reference Manual: B1.5.6 (stack frames), B1.4.2 (xPSR), B1.5.8 (returns),
//! B1.5.7 (their alignment), B3.2.21 (FPCCR); Cortex-M4 erratum 752770: an interrupted load of SP
//! is repeated, which has no effect on a word of a control block.
//!
//! Numbers: `docs/decisions/0016-switch-by-a-call.md`.

use ::core::arch::{asm, naked_asm};

use crate::arch::upward::refuse_to_wait;
use crate::core::lock::Saved;
use crate::core::record::mutex_offset as mutex;
use crate::core::record::thread::{State, UNTOUCHED};
use crate::core::record::{SCHEDULER, ThreadBlock, offset};

mod count;
mod exceptions;
mod lending;
mod parking;
mod processes;
mod raising;
mod ready;
#[cfg(feature = "time")]
mod sleeping;
mod stacks;
mod starting;
mod taking_back;
mod waiting;

pub use lending::{enter_or_lend, leave_and_switch};
pub use parking::{park, wait_for_own};
pub use processes::IN_PROCESS;
pub use raising::{enter_and_raise, leave_and_lower};
pub use ready::ready;
#[cfg(feature = "time")]
pub use ready::ready_from_handler;
#[cfg(feature = "time")]
pub use sleeping::{sleep, sleep_without_ceilings};
#[cfg(fpu)]
use stacks::floating_state;
use stacks::{choose_next, enter_idle, enter_stack, switch_stack_to_idle, switch_stacks};
pub use starting::initialise;
pub use waiting::{wait, wait_for};

/// The interrupt control and state register.
const ICSR: *mut u32 = 0xe000_ed04 as *mut u32;
/// The bit of the register that pends PendSV.
pub const PENDSVSET: u32 = 1 << 28;

#[cfg(processes_float)]
pub use super::process::floating::{REGISTERS as FLOATING_REGISTERS, RIGHTS as FLOATING_RIGHTS};
/// The offset of a process's floating-point registers: there are none.
#[cfg(not(processes_float))]
pub const FLOATING_REGISTERS: usize = 0;
/// The offset of a process's rights to use floating-point registers: there are none.
#[cfg(not(processes_float))]
pub const FLOATING_RIGHTS: usize = 0;

/// Pends PendSV, which switches as soon as masks allow. From any context.
#[inline(always)]
pub fn pend() {
    ::core::sync::atomic::compiler_fence(::core::sync::atomic::Ordering::SeqCst);
    // SAFETY: every Cortex-M has the register; a bit written as 0 has no effect.
    unsafe { ICSR.write_volatile(PENDSVSET) };
}

/// Returns `true` if a section that found `saved` at its beginning is within one at a ceiling of
/// levels.
#[inline(always)]
pub const fn is_under_level(saved: Saved) -> bool {
    saved != 0
}

/// Returns `true` if interrupts are off: a critical section of a library is open.
#[inline(always)]
pub fn interrupts_are_off(_saved: Saved) -> bool {
    let primask: u32;
    // SAFETY: reading PRIMASK has no effect.
    unsafe { asm!("mrs {}, PRIMASK", out(reg) primask, options(nomem, nostack, preserves_flags)) };
    primask != 0
}

/// Returns `true` in an interrupt's handler, which may have interrupted a switch.
#[inline(always)]
pub fn in_handler() -> bool {
    let number: u32;
    // SAFETY: reading IPSR has no effect.
    unsafe { asm!("mrs {}, IPSR", out(reg) number, options(nomem, nostack, preserves_flags)) };
    number != 0
}

/// Lets the running thread wait, and ends the section that found `saved`, which is 0, at its
/// beginning. Returns when another context has made the thread ready, and its turn has come.
///
/// # Safety
/// The kernel's lock is held, by a thread that holds no ceiling; another context will make the
/// thread ready.
#[unsafe(naked)]
pub unsafe extern "C" fn block(_saved: Saved) {
    naked_asm!(
        "ldr r2, 9f",                         // r2 = the queues
        "ldrd r1, r12, [r2, #-8]",            // r1 = running, r12 = ready
        choose_next!("r2"),
        "b {switch}",                         // r0 runs, r1 waits
        "2:",
        "mov r12, r1",                        // no demand: the thread itself
        "b {others_ready}",                   // the next of its priority may run
        "3:",
        "b {to_idle}",                        // r0 = idle
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        next = const offset::NEXT,
        switch = sym switch,
        others_ready = sym block_among_equals,
        to_idle = sym block_to_idle,
    )
}

/// Lets the running thread `from` wait, if other threads of its priority are ready. The next of
/// them runs; or a more urgent thread, if a switch to it is due or the scheduler is cooperative. r2
/// points to the queues, and r12 to the thread's demand, or to the thread itself.
#[unsafe(naked)]
unsafe extern "C" fn block_among_equals(_: u32, _from: &ThreadBlock) {
    naked_asm!(
        "ldrd r0, r3, [r1, #{next}]",         // the next, and the one before
        "str r0, [r3, #{next}]",              // they close the ring
        "str r3, [r0, #{previous}]",          // by its two neighbours
        "strd r1, r12, [r1, #{next}]",        // it is alone
        "ldr r3, [r1, #{bit}]",               // its bit, which stays in ready
        "clz r3, r3",                         // r3 = the slot of its priority
        "str r0, [r2, r3, lsl #2]",           // the next is the first
        "ldr r3, [r2, #-4]",                  // r3 = ready
        "clz r3, r3",                         // r3 = the slot of the most urgent
        "ldr r0, [r2, r3, lsl #2]",           // r0 = the first of the most urgent
        "str r0, [r2, #-8]",                  // runs
        "b {switch}",                         // r0 runs, r1 waits
        bit = const offset::BIT,
        next = const offset::NEXT,
        previous = const offset::PREVIOUS,
        switch = sym switch,
    )
}

/// Lets the next thread of the running thread's priority run, if another one is ready, and ends the
/// section that found 0 at its beginning.
///
/// # Safety
/// The kernel's lock is held, by a thread that holds no ceiling.
#[unsafe(naked)]
pub unsafe extern "C" fn pass() {
    naked_asm!(
        "ldr r2, 9f",                         // r2 = the queues
        "ldr r1, [r2, #-8]",                  // r1 = running
        "ldrd r3, r12, [r1, #{bit}]",         // its bit and its limit
        "lsls r12, r12, #31",                 // N = the limit's lowest bit
        "bpl 3f",                             // under a ceiling of threads
        "ldr r0, [r1, #{next}]",              // r0 = the next in its ring
        "cmp r0, r1",                         // is it alone there?
        "beq 2f",                             // no other thread
        "clz r3, r3",                         // r3 = the slot of their priority
        "str r0, [r2, r3, lsl #2]",           // the next is the first,
        "str r0, [r2, #-8]",                  // and runs
        switch_stacks!(),
        "2:",
        "movs r1, #0",                        // as the section found it
        "msr BASEPRI, r1",                    // the section ends
        "bx lr",                              // the thread continues
        "3:",
        "movs r0, #0",                        // the mask that the section found
        "b {refuse}",                         // no thread may wait there
        ".p2align 2",
        "9:",
        ".word {scheduler}+{queue}",
        scheduler = sym SCHEDULER,
        queue = const offset::QUEUE,
        bit = const offset::BIT,
        next = const offset::NEXT,
        refuse = sym refuse_to_wait,
    )
}

/// Lets the running thread `from` wait, if only `idle` is ready.
#[unsafe(naked)]
unsafe extern "C" fn block_to_idle(_idle: &ThreadBlock, _from: &ThreadBlock) {
    naked_asm!(switch_stack_to_idle!(),)
}

/// Lets the thread run that the scheduler has just selected, and ends the section that found 0 at
/// its beginning.
///
/// # Safety
/// The kernel's lock is held, by the thread `from`, which holds no ceiling and is no longer the
/// running thread. `to` is the running thread, and is neither `from` nor idle.
#[unsafe(naked)]
pub unsafe extern "C" fn switch(_to: &ThreadBlock, _from: &ThreadBlock) {
    naked_asm!(switch_stacks!(),)
}

/// Lets another thread run, or idle, and ends the section that found 0 at its beginning. Doesn't
/// return. The stack is left with the lock held: a context that comes after that may start the
/// thread again, which writes to the stack.
///
/// # Safety
/// The kernel's lock is held, by a thread that has ended; `to` is the running thread.
#[unsafe(naked)]
pub unsafe extern "C" fn leave(_to: &ThreadBlock) -> ! {
    naked_asm!(
        crate::__fpu!(".fpu fpv4-sp-d16"),
        crate::__count!(),
        "ldr r2, [r0, #{bit}]",               // idle's bit is 1, no thread's is
        "movs r1, #0",                        // for BASEPRI, and for no limit
        "cmp r2, #1",                         // is it idle?
        "beq 2f",                             // idle
        crate::__fpu!("mrs r2, CONTROL"),     // its floating-point state ends with it
        crate::__fpu!("bic r2, #4"),          // CONTROL.FPCA: no such state
        crate::__fpu!("msr CONTROL, r2"),     // the next thread begins so
        crate::__fpu!("isb"),                 // and the change has its effect here
        enter_stack!(),
        "msr BASEPRI, r1",                    // the lock ends, with the new stack in use
        "pop {{r4-r11, pc}}",                 // the new thread continues
        "udf #0x51",                          // never executed: see taking_back
        "2:",
        "ldr r3, [r0]",                       // r3 = where idle's registers are
        enter_idle!(),
        bit = const offset::BIT,
        #[cfg(any(stack_limit, stack_guard_moves))]
        about = const offset::ABOUT,
        #[cfg(any(stack_limit, stack_guard_moves))]
        stack = const offset::STACK,
    )
}

/// Begins a new thread.
///
/// This function also has numbers as symbols, which take no memory: the offsets of the fields of a
/// control block that the lab reads, the offset of a mutex's owner, the state of an ended thread,
/// the fill of a stack, and whether one guard serves all stacks.
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
        "quintet_field guard_moves, {guard_moves}",
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
        guard_moves = const cfg!(stack_guard_moves) as u32,
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
        frame.write(entry as *const () as usize as u32);
        frame.add(1).write(argument.addr() as u32);
        frame.add(2).write(exit as *const () as usize as u32);
        frame.add(8).write(begin as *const () as usize as u32);
        frame
    }
}
