//! The preparation of the switch before the first thread runs.

use ::core::arch::asm;
use ::core::cell::UnsafeCell;
use ::core::ptr;

use super::super::set_exception_priority;
use crate::core::record::SCHEDULER;

/// Configuration and control: frames are aligned to 8 bytes.
#[cfg(armv7m)]
const CCR: *mut u32 = 0xe000_ed14 as *mut u32;
#[cfg(armv7m)]
const STKALIGN: u32 = 1 << 9;
/// Floating-point context control: CONTROL.FPCA is set by the first instruction.
#[cfg(fpu)]
const FPCCR: *mut u32 = 0xe000_ef34 as *mut u32;
#[cfg(fpu)]
const ASPEN: u32 = 1 << 31;
/// A frame is stored lazily.
#[cfg(fpu)]
const LSPACT: u32 = 1;
/// ARMv8-M: frames have s16 to s31 as well.
#[cfg(fpu)]
const TS: u32 = 1 << 26;
/// The numbers of the exceptions.
const SVCALL: u8 = 11;
const PENDSV: u8 = 14;
/// A priority that only PendSV and SVCall have, for any number of priority bits.
const LOWEST: u8 = 0xff;

/// The registers of idle while a thread runs, and behind them the address of idle's control block:
/// so PendSV always finds this address at the place of r0.
struct IdleRegisters(UnsafeCell<[u32; IDLE_WORDS + 1]>);

/// The number of idle's words that aren't in the hardware's frame.
const IDLE_WORDS: usize = if cfg!(fpu) { 9 + 16 } else { 9 };

// SAFETY: only the switch writes and reads them.
unsafe impl Sync for IdleRegisters {}

static IDLE_REGISTERS: IdleRegisters = IdleRegisters(UnsafeCell::new([0; IDLE_WORDS + 1]));

/// Gives the exceptions of the switch their priority, and idle a place for its registers. Also sets
/// the registers that the switch relies on to their reset values, as a program that ran before may
/// have changed them.
///
/// # Safety
/// At start-up, in thread mode, on the main stack, within no section.
pub unsafe fn initialise() {
    // A raised mask would hold off every switch.
    //
    // SAFETY: no section is open.
    unsafe { asm!("msr BASEPRI, {}", in(reg) 0, options(nostack, preserves_flags)) };
    // Handlers' stacks begin at multiples of 8, as compiled code expects: a Cortex-M3 before r2p0
    // needs this bit for that.
    #[cfg(armv7m)]
    // SAFETY: every frame contains a bit that says whether the frame was aligned.
    unsafe {
        CCR.write_volatile(CCR.read_volatile() | STKALIGN);
    }
    // Code that executes a floating-point instruction has floating-point state. A program that ran
    // before may have left a lazy frame, or frames that are longer.
    #[cfg(fpu)]
    // SAFETY: no code has noted such a state yet.
    unsafe {
        FPCCR.write_volatile(FPCCR.read_volatile() & !(LSPACT | TS) | ASPEN);
    }
    let end = IDLE_REGISTERS.0.get().cast::<u32>().wrapping_add(IDLE_WORDS);
    // SAFETY: nothing uses the process stack, or the memory behind it, yet.
    unsafe {
        end.write(ptr::from_ref(SCHEDULER.running()).addr() as u32);
        asm!("msr PSP, {}", in(reg) end, options(nostack, preserves_flags));
    }
    // Idle has no limit; a program that ran before may have left one.
    #[cfg(stack_limit)]
    // SAFETY: the process stack isn't in use.
    unsafe {
        asm!("msr PSPLIM, {}", in(reg) 0, options(nostack, preserves_flags));
    }
    // Without floating point, code tests CONTROL only for the process stack. A program that ran
    // before may have left floating-point state there.
    #[cfg(not(fpu))]
    // SAFETY: privileged, on the main stack, as it is.
    unsafe {
        asm!("msr CONTROL, {}", "isb", in(reg) 0, options(nostack, preserves_flags));
    }
    // SAFETY: the caller's.
    unsafe {
        set_exception_priority(PENDSV, LOWEST);
        set_exception_priority(SVCALL, LOWEST);
    }
}
