//! The faults of processes: the exceptions that take them, and the status that tells the cause.

use super::super::set_exception_priority;
use super::Frame;

/// Defines the handler of a fault. The fault is the process's if the handler interrupted a process
/// in thread mode. Otherwise the fault is the system's, and the handler continues with `otherwise`.
/// For naked functions.
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
                "lsls r0, r0, #31",           // N = nPRIV, which only a process has
                "bpl 2f",                     // no process runs
                "tst lr, #8",                 // was the process itself interrupted?
                "beq 3f",                     // no: a handler while it runs
                "ldr r0, 8f",                 // r0 = the queues
                "ldr r0, [r0, #-8]",          // r0 = running, the process
                "movs r1, #0",                // r1 = no lines
                "str r1, [r0, #{lines}]",     // none of its calls is served any more
                "mov r2, #0xe000e000",        // r2 = the system control space
                "ldr r1, [r2, #0xd24]",       // r1 = SHCSR
                "orr r1, #0x8000",            // with SVCALLPENDED
                "str r1, [r2, #0xd24]",       // SVCall looks at the fault
                "bx lr",                      // below all levels
                "2:",
                "b {otherwise}",              // the system's fault
                "3:",
                "ldr r3, 9f",                 // r3 = where the system's faults go
                "b __quintet_fault_within_process", // it may be the process's all the same
                ".p2align 2",
                "8:",
                ".word {scheduler}+{queue}",
                "9:",
                ".word {otherwise}",
                scheduler = sym $crate::export::threads::SCHEDULER,
                queue = const $crate::export::threads::offset::QUEUE,
                lines = const $crate::export::processes::LINES,
                otherwise = sym $otherwise,
            )
        }
    };
}

/// Enables separate exceptions for memory, bus and usage faults.
const FAULTS_ENABLED: u32 = 7 << 16;
/// System handler control and state.
const HANDLERS: *mut u32 = 0xe000_ed24 as *mut u32;
/// Debug exception and monitor control.
const MONITOR: *mut u32 = 0xe000_edfc as *mut u32;
/// Makes breakpoints without a debugger a separate exception, not a fault of the system.
const MONITOR_ENABLED: u32 = 1 << 16;
const DEBUG_MONITOR: u8 = 12;

/// A fault's status is that of the processor's register.
pub const HAS_STATUS: bool = true;

/// Enables the exceptions of faults.
///
/// # Safety
/// At start-up, once.
pub unsafe fn enable() {
    // SAFETY: at start-up.
    unsafe {
        HANDLERS.write_volatile(HANDLERS.read_volatile() | FAULTS_ENABLED);
        MONITOR.write_volatile(MONITOR.read_volatile() | MONITOR_ENABLED);
        set_exception_priority(DEBUG_MONITOR, 0);
    }
}

/// Returns the status of a fault, and its address, if there is one. Clears both. The fault is that
/// of the process at this address, whose frame this is; both are null for the system's.
///
/// # Safety
/// In the handler of the fault, or after the handler before another fault may come.
pub unsafe fn take_fault(_process: *const (), _frame: *const Frame) -> (u32, Option<u32>) {
    const STATUS: *mut u32 = 0xe000_ed28 as *mut u32;
    const MEMORY_ADDRESS: *const u32 = 0xe000_ed34 as *const u32;
    const BUS_ADDRESS: *const u32 = 0xe000_ed38 as *const u32;
    const MEMORY_VALID: u32 = 1 << 7;
    const BUS_VALID: u32 = 1 << 15;
    // SAFETY: the caller's. A bit is cleared by writing it as 1.
    unsafe {
        let status = STATUS.read_volatile();
        let address = if status & MEMORY_VALID != 0 {
            Some(MEMORY_ADDRESS.read_volatile())
        } else if status & BUS_VALID != 0 {
            Some(BUS_ADDRESS.read_volatile())
        } else {
            None
        };
        STATUS.write_volatile(status);
        (status, address)
    }
}
