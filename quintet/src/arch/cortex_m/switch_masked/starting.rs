//! The preparation of the switch before the first thread runs.

use ::core::arch::asm;
use ::core::cell::UnsafeCell;
use ::core::ptr;

use super::super::set_exception_priority;
use crate::core::record::SCHEDULER;

/// The numbers of the exceptions.
const SVCALL: u8 = 11;
const PENDSV: u8 = 14;
/// A priority that only PendSV and SVCall have.
const LOWEST: u8 = 0xff;

/// The registers of idle while a thread runs, and behind them the address of idle's control block:
/// so PendSV always finds this address at the place of r0.
struct IdleRegisters(UnsafeCell<[u32; IDLE_WORDS + 1]>);

/// The number of idle's words that aren't in the hardware's frame.
const IDLE_WORDS: usize = 9;

// SAFETY: only the switch writes and reads them.
unsafe impl Sync for IdleRegisters {}

static IDLE_REGISTERS: IdleRegisters = IdleRegisters(UnsafeCell::new([0; IDLE_WORDS + 1]));

/// Gives the exceptions of the switch their priority, and idle a place for its registers. Also sets
/// CONTROL to its reset value, as a program that ran before may have changed it.
///
/// # Safety
/// At start-up, in thread mode, on the main stack, within no section.
pub unsafe fn initialise() {
    let end = IDLE_REGISTERS.0.get().cast::<u32>().wrapping_add(IDLE_WORDS);
    // SAFETY: nothing uses the process stack, or the memory behind it, yet. Privileged, on the main
    // stack, as it is. The exceptions are the switch's.
    unsafe {
        end.write(ptr::from_ref(SCHEDULER.running()).addr() as u32);
        asm!("msr PSP, {}", in(reg) end, options(nostack, preserves_flags));
        asm!("msr CONTROL, {}", "isb", in(reg) 0, options(nostack, preserves_flags));
        set_exception_priority(PENDSV, LOWEST);
        set_exception_priority(SVCALL, LOWEST);
    }
}
