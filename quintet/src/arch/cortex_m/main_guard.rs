//! The guard below main's stack: a region of the memory protection unit, or the register MSPLIM.
//!
//! Main's stack ends at the end of the statics, at the symbol `_stack_end` of cortex-m-rt. The
//! guard takes the last region, if no code has set up that region.
//!
//! The exception that reports an overflow begins on the full stack. As it never returns, it
//! continues at the top of this stack.
//!
//! ARMv7-M Architecture Reference Manual, B1.5.8 (EXC_RETURN), B3.5; ARMv8-M, B3.8.

#![expect(unsafe_code, reason = "system registers are written")]

use ::core::arch::asm;

#[cfg(stack_guard)]
use super::guard;
#[cfg(stack_limit)]
use super::stack_limit;

unsafe extern "C" {
    /// Behind the statics: the lowest address of main's stack.
    static _stack_end: [u8; 0];
}

/// In EXC_RETURN: the interrupted code used the stack of threads.
const ON_PROCESS_STACK: u32 = 1 << 2;

/// Returns the lowest address of main's stack.
fn end() -> u32 {
    (&raw const _stack_end).addr() as u32
}

/// Guards main's stack, if there is a region and the stack lies above the statics, so that it could
/// grow into them. Called before any interrupt.
pub fn protect() {
    let stack_pointer: u32;
    // SAFETY: reading the register has no effect.
    unsafe {
        asm!("mrs {}, MSP", out(reg) stack_pointer, options(nomem, nostack, preserves_flags));
    }
    if stack_pointer > end() {
        guard_end();
    }
}

/// The size and the alignment of the guard, in bytes. Larger than the guards of threads: there is
/// only one, and the frames of many functions would step over a smaller guard.
#[cfg(stack_guard)]
const SIZE: usize = 256;

/// The number of regions behind this one, which belong to processes.
#[cfg(stack_guard)]
const OTHERS: u8 = if cfg!(processes) { 5 } else { 0 };

/// Returns the base of the guard: the first aligned address above the statics.
#[cfg(stack_guard)]
fn base() -> u32 {
    end().next_multiple_of(SIZE as u32)
}

#[cfg(stack_guard)]
fn guard_end() {
    let Some(last) = guard::regions().checked_sub(OTHERS + 1) else { return };
    // SAFETY: there is such a region, at start-up; nothing is stored below main's stack, and in the
    // last bytes of the stack nothing yet.
    unsafe {
        if guard::is_free(last) {
            guard::set_of(SIZE, last, ::core::ptr::with_exposed_provenance_mut(base() as usize));
        }
    }
}

#[cfg(stack_limit)]
fn guard_end() {
    let limit = end().next_multiple_of(8);
    // SAFETY: at start-up; the stack pointer is above the limit.
    unsafe {
        asm!("msr MSPLIM, {}", in(reg) limit, options(nostack, preserves_flags));
        stack_limit::enable_fault();
    }
}

/// Returns the end of main's stack, if the present fault is an overflow of this stack.
#[cfg(stack_guard)]
pub fn overflowed(exc_return: u32) -> Option<u32> {
    let base = base();
    let is_within = |address: u32| (base..base + SIZE as u32).contains(&address);
    let is_main = match guard::accessed_by_instruction() {
        Some(address) => is_within(address),
        // The fault is about the frame of an exception, or about forbidden execution.
        None => guard::failed_to_stack() && exc_return & ON_PROCESS_STACK == 0,
    };
    is_main.then_some(base)
}

/// Returns the end of main's stack, if the present fault is an overflow of this stack.
#[cfg(stack_limit)]
pub fn overflowed(exc_return: u32) -> Option<u32> {
    let is_main = exc_return & ON_PROCESS_STACK == 0;
    (is_main && stack_limit::fault().overflowed.is_some()).then(end)
}

/// Defines the exception `$exception`, which continues with `$report`, and gives it EXC_RETURN. If
/// main's stack is almost full, so that nothing could be called, the exception continues at the top
/// of the stack.
#[doc(hidden)]
#[macro_export]
macro_rules! __fault_on_full_stack {
    ($exception:ident, $report:path) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $exception() -> ! {
            ::core::arch::naked_asm!(
                "mrs r0, MSP",        // r0 = the main stack pointer
                "movw r1, #:lower16:_stack_end", // r1 = the end of the stack
                "movt r1, #:upper16:_stack_end", // the upper half of it
                // The guard and the memory below, the hardware's frame, and the registers that were
                // to be pushed.
                "add r1, r1, #768",   // r1 = the least that must be left
                "cmp r0, r1",         // is there more?
                "bhi 2f",             // there is room
                "movw r1, #0xed08",   // VTOR
                "movt r1, #0xe000",   // the upper half of its address
                "ldr r1, [r1]",       // r1 = the table of vectors
                "ldr r1, [r1]",       // where main's stack begins
                "msr MSP, r1",        // all of the stack is free again
                "isb",                // from the next instruction on
                "2:",
                "mov r0, lr",         // EXC_RETURN, the argument
                "b {report}",         // which doesn't return
                report = sym $report,
            )
        }
    };
}
