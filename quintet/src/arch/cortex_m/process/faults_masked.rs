//! The faults of processes on ARMv6-M, where HardFault is the one fault, and nothing tells its
//! cause.
//!
//! The handler runs above everything. It notes the fault, takes the lines of drivers away from the
//! process, and pends PendSV, which looks at the fault below all levels. A fault that has kept a
//! call from storing its frame leaves SVCall pending, which goes first, finds no lines, and looks
//! at the fault in place of PendSV. So nothing of the process runs before either.
//!
//! The note is a value of the word for pauses of switches, at which PendSV looks in any case. While
//! a process runs, nothing pauses. A handler that pauses behind the fault leaves the word as it is.
//!
//! The cause is found from the frame, from the instruction at which it points, and from the regions
//! of the process.
//!
//! Armv6-M Architecture Reference Manual: B1.5.6 (stacking has the rights of the interrupted code),
//! B1.5.11 (HardFault), B3.5 (the protection unit).

use ::core::sync::atomic::Ordering;

use super::super::protection::{REGIONS, Words, allows, executes};
use super::instruction::{Effect, of};
use super::{Frame, REGIONS_AT, THUMB};
use crate::arch::mask::{FAULT, PAUSE};
use crate::core::record::offset;

/// Defines HardFault. The fault is the process's if the handler interrupted a process in thread
/// mode. Otherwise the fault is the system's, and the handler continues with `otherwise`.
#[doc(hidden)]
#[macro_export]
macro_rules! __fault_of_process {
    ($name:ident, $otherwise:path) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            ::core::arch::naked_asm!(
                "mrs r0, CONTROL",            // CONTROL of the interrupted code
                "lsrs r0, r0, #1",            // C = nPRIV, which only a process has
                "bcc 2f",                     // no process runs
                "mov r0, lr",                 // r0 = the return address
                "lsls r0, r0, #28",           // N = was the process itself interrupted?
                "bpl 2f",                     // no: a handler while it runs
                "ldr r0, 8f",                 // r0 = the scheduler
                "ldr r0, [r0, #4]",           // r0 = running, the process
                "movs r1, #{lines}",          // too far for an instruction
                "movs r2, #0",                // r2 = no lines
                "str r2, [r0, r1]",           // none of its calls is served any more
                "ldr r0, 7f",                 // r0 = the word for pauses
                "movs r1, #{fault}",          // r1 = the note
                "str r1, [r0]",               // PendSV finds it
                "ldr r0, 6f",                 // r0 = the register that pends PendSV
                "movs r1, #1",                // r1 = its bit
                "lsls r1, r1, #28",           // there
                "str r1, [r0]",               // PendSV looks at the fault, below all levels
                "bx lr",                      // whatever is pending comes first
                "2:",
                "ldr r0, 9f",                 // r0 = where the system's faults go
                "bx r0",                      // the system's fault
                ".p2align 2",
                "6:",
                ".word 0xe000ed04",
                "7:",
                ".word {pause}",
                "8:",
                ".word {scheduler}",
                "9:",
                ".word {otherwise}",
                scheduler = sym $crate::export::threads::SCHEDULER,
                pause = sym $crate::export::threads::PAUSE,
                fault = const $crate::export::processes::FAULT,
                lines = const $crate::export::processes::LINES,
                otherwise = sym $otherwise,
            )
        }
    };
}

/// A fault has no status in a register: its bits are those that an ARMv7-M would have.
pub const HAS_STATUS: bool = false;

/// The status bits of an ARMv7-M.
mod status {
    pub const EXECUTION: u32 = 1;
    pub const ACCESS_AT: u32 = 1 << 1 | 1 << 7;
    pub const STACKING: u32 = 1 << 4;
    pub const BUS_AT: u32 = 1 << 9 | 1 << 15;
    pub const UNDEFINED: u32 = 1 << 16;
    pub const STATE: u32 = 1 << 17;
    pub const UNALIGNED: u32 = 1 << 24;
}

/// The registers of the processor itself, which the protection unit doesn't cover.
const PRIVATE: u32 = 0xe000_0000;

/// Enables nothing: HardFault is always enabled.
///
/// # Safety
/// None is needed.
pub const unsafe fn enable() {}

/// Returns the status of a noted fault of the process at this address, whose frame this is, and the
/// address that the process accessed, if there is one. Ends the note. Without a note, and for the
/// system, for which the process is null, returns 0. A breakpoint has the status 0 too.
///
/// # Safety
/// In SVCall or PendSV, after r4 to r11 of the process were stored in it.
pub unsafe fn take_fault(process: *const (), frame: *const Frame) -> (u32, Option<u32>) {
    if process.is_null() || PAUSE.load(Ordering::Relaxed) != FAULT {
        return (0, None);
    }
    PAUSE.store(0, Ordering::Relaxed);
    // SAFETY: the words lie behind the control block of a process.
    let regions = unsafe { process.byte_add(REGIONS_AT).cast::<[Words; REGIONS]>().read() };
    let begin = frame.addr() as u32;
    let is_open = |address, is_write| allows(&regions, address, is_write);
    let words = size_of::<Frame>() as u32 / 4;
    if !begin.is_multiple_of(4) || !(0..words).all(|i| is_open(begin.wrapping_add(4 * i), true)) {
        return (status::STACKING, None);
    }
    // SAFETY: the process can read and write its frame. A job may write there meanwhile, so each
    // word is read once, and only compared, or used as an address that was compared.
    let stored = unsafe { frame.read_volatile() };
    if stored.xpsr & THUMB == 0 {
        return (status::STATE, None);
    }
    let fetch = |address: u32| {
        let may = executes(&regions, address);
        // SAFETY: a halfword of the process's flash.
        may.then(|| unsafe { (address as usize as *const u16).read() })
    };
    let Some(first) = fetch(stored.pc & !1) else { return (status::EXECUTION, None) };
    let registers = |number: u32| register(process, &stored, begin, number);
    match of(first, stored.pc & !1, registers) {
        Effect::Wide if fetch((stored.pc & !1).wrapping_add(2)).is_none() => {
            (status::EXECUTION, None)
        }
        Effect::Breakpoint => (0, None),
        Effect::Wide | Effect::Other => (status::UNDEFINED, None),
        Effect::Access { address, size, .. } if !address.is_multiple_of(size) => {
            (status::UNALIGNED, None)
        }
        Effect::Access { address, size, count, is_write } => {
            let all = (0..count).map(|index| address.wrapping_add(size * index));
            let mut refused = all.filter(|&place| !is_open(place, is_write));
            match refused.next() {
                Some(place) if place >= PRIVATE => (status::BUS_AT, Some(place)),
                Some(place) => (status::ACCESS_AT, Some(place)),
                None => (status::BUS_AT, Some(address)),
            }
        }
    }
}

/// Returns a register of the process, r0 to r14, at its fault.
fn register(process: *const (), stored: &Frame, begin: u32, number: u32) -> u32 {
    /// In xPSR: the frame was aligned by a word.
    const PADDED: u32 = 1 << 9;
    match number {
        0..=3 => stored.registers[number as usize],
        // SAFETY: the place of r4 to r11 behind the control block, where they were stored.
        4..=11 => unsafe {
            process.byte_add(offset::SAVED).cast::<u32>().add(number as usize - 3).read()
        },
        12 => stored.r12,
        13 => {
            let padding = if stored.xpsr & PADDED == 0 { 0 } else { 4 };
            begin.wrapping_add(size_of::<Frame>() as u32 + padding)
        }
        _ => stored.lr,
    }
}
const _: () = assert!(FAULT == 4, "the switch compares with it");
