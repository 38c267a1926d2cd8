//! What the switch needs before the first thread runs.

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
/// A frame was put off.
#[cfg(fpu)]
const LSPACT: u32 = 1;
/// ARMv8-M: frames have s16 to s31 as well.
#[cfg(fpu)]
const TS: u32 = 1 << 26;
/// The numbers of the exceptions.
const SVCALL: u8 = 11;
const PENDSV: u8 = 14;
/// A priority that is nobody's but PendSV's and SVCall's, whatever the number of priority bits.
const LOWEST: u8 = 0xff;

/// Where the registers of idle are while a thread runs, and behind them the address of its control
/// block: so PendSV always finds that where it looks for what was in r0.
struct IdleRegisters(UnsafeCell<[u32; IDLE_WORDS + 1]>);

/// What of idle's is not in the hardware's frame.
const IDLE_WORDS: usize = if cfg!(fpu) { 9 + 16 } else { 9 };

// SAFETY: the switch alone writes and reads them.
unsafe impl Sync for IdleRegisters {}

static IDLE_REGISTERS: IdleRegisters = IdleRegisters(UnsafeCell::new([0; IDLE_WORDS + 1]));

/// Gives the exceptions of the switch their priority, and idle a place for its registers; and sets
/// what the switch relies on as reset does, wherever a program that ran before may have left it
/// otherwise.
///
/// # Safety
/// At start-up, in thread mode, on the main stack, within no section.
pub unsafe fn initialise() {
    // A mask that is raised would hold off every switch.
    // SAFETY: no section is open.
    unsafe { asm!("msr BASEPRI, {}", in(reg) 0, options(nostack, preserves_flags)) };
    // Handlers' stacks begin at multiples of 8, as compiled code expects: a Cortex-M3 before r2p0
    // has to be told so.
    #[cfg(armv7m)]
    // SAFETY: every frame says of itself whether it was aligned.
    unsafe {
        CCR.write_volatile(CCR.read_volatile() | STKALIGN);
    }
    // What executes a floating-point instruction has floating-point state. A program that ran
    // before may have left a frame that was put off, or frames that are longer.
    #[cfg(fpu)]
    // SAFETY: there is no such state yet that anybody has noted.
    unsafe {
        FPCCR.write_volatile(FPCCR.read_volatile() & !(LSPACT | TS) | ASPEN);
    }
    let end = IDLE_REGISTERS.0.get().cast::<u32>().wrapping_add(IDLE_WORDS);
    // SAFETY: nothing uses the process stack, or what is behind it, yet.
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
    // Without floating point nothing but the process stack is ever asked for in CONTROL. A program
    // that ran before may have left floating-point state there.
    #[cfg(not(fpu))]
    // SAFETY: privileged, on the main stack, as it is.
    unsafe {
        asm!("msr CONTROL, {}", "isb", in(reg) 0, options(nostack, preserves_flags));
    }
    // SAFETY: handed on.
    unsafe {
        set_exception_priority(PENDSV, LOWEST);
        set_exception_priority(SVCALL, LOWEST);
    }
}
