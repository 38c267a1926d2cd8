//! The guard below main's stack: a region of the memory protection unit, or the register MSPLIM.
//!
//! Main's stack ends where the statics do, by the symbol `_stack_end` of cortex-m-rt. The region is
//! the last that there is, if nobody has set it up.
//!
//! The exception that reports begins on the stack that is full: so it begins anew at its top, as it
//! never returns.
//!
//! ARMv7-M Architecture Reference Manual, B1.5.8 (EXC_RETURN), B3.5; ARMv8-M, B3.8.

#![expect(unsafe_code, reason = "system registers are written")]

use ::core::arch::asm;

#[cfg(stack_guard)]
use super::guard;
#[cfg(stack_limit)]
use super::stack_limit;

unsafe extern "C" {
    /// Behind the statics: the least address of main's stack.
    static _stack_end: [u8; 0];
}

/// In EXC_RETURN: what was interrupted was on the stack of threads.
const ON_PROCESS_STACK: u32 = 1 << 2;

/// The least address of main's stack.
fn end() -> u32 {
    (&raw const _stack_end).addr() as u32
}

/// Guards main's stack, if it lies above the statics, which is where it would grow into them, and
/// if there is a region. Before anything else is interrupted.
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

/// The size of the guard, in bytes, and what its address is a multiple of. Larger than those of
/// threads, as there is one, and many functions' frames would step over theirs.
#[cfg(stack_guard)]
const SIZE: usize = 256;

/// The regions behind it: those of processes.
#[cfg(stack_guard)]
const OTHERS: u8 = if cfg!(processes) { 5 } else { 0 };

/// The guard: the first whole one above the statics.
#[cfg(stack_guard)]
fn base() -> u32 {
    end().next_multiple_of(SIZE as u32)
}

#[cfg(stack_guard)]
fn guard_end() {
    let Some(last) = guard::regions().checked_sub(OTHERS + 1) else { return };
    // SAFETY: there is such a region, at start-up; nothing is stored below main's stack, and in its
    // last bytes nothing yet.
    unsafe {
        if guard::is_free(last) {
            guard::set_of(SIZE, last, ::core::ptr::with_exposed_provenance_mut(base() as usize));
        }
    }
}

#[cfg(stack_limit)]
fn guard_end() {
    let limit = end().next_multiple_of(8);
    // SAFETY: at start-up; the stack pointer is above.
    unsafe {
        asm!("msr MSPLIM, {}", in(reg) limit, options(nostack, preserves_flags));
        stack_limit::enable_fault();
    }
}

/// Where main's stack ends, if it is what has overflowed, by the fault that is being handled.
#[cfg(stack_guard)]
pub fn overflowed(exc_return: u32) -> Option<u32> {
    let base = base();
    let is_within = |address: u32| (base..base + SIZE as u32).contains(&address);
    let is_main = match guard::accessed_by_instruction() {
        Some(address) => is_within(address),
        // The frame of an exception; or code was to be executed where none may be.
        None => guard::failed_to_stack() && exc_return & ON_PROCESS_STACK == 0,
    };
    is_main.then_some(base)
}

/// Where main's stack ends, if it is what has overflowed, by the fault that is being handled.
#[cfg(stack_limit)]
pub fn overflowed(exc_return: u32) -> Option<u32> {
    let is_main = exc_return & ON_PROCESS_STACK == 0;
    (is_main && stack_limit::fault().overflowed.is_some()).then(end)
}

/// Defines the exception `$exception`, which goes on with `$report`, given EXC_RETURN: at the top
/// of main's stack if that is as good as full, as nothing could be called there.
#[doc(hidden)]
#[macro_export]
macro_rules! __fault_on_full_stack {
    ($exception:ident, $report:path) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $exception() -> ! {
            ::core::arch::naked_asm!(
                "mrs r0, MSP",
                "movw r1, #:lower16:_stack_end",
                "movt r1, #:upper16:_stack_end",
                // The guard and what lies below it, the hardware's frame, what was to be pushed.
                "add r1, r1, #768",
                "cmp r0, r1",
                "bhi 2f",             // there is room
                "movw r1, #0xed08",   // VTOR
                "movt r1, #0xe000",
                "ldr r1, [r1]",
                "ldr r1, [r1]",       // where main's stack begins
                "msr MSP, r1",
                "isb",
                "2:",
                "mov r0, lr",
                "b {report}",
                report = sym $report,
            )
        }
    };
}
