//! Processes that end or restart from outside: the functions that the switch calls for them, and
//! the registers of the interrupted process.
//!
//! If the switch interrupts a process, this process was the last to run in thread mode: its stack
//! pointer is in PSP, and its r4 to r11 are in these registers, not behind its control block. Such
//! a process is *live*. CONTROL.nPRIV shows this, which only `__quintet_enter_process` sets.

use ::core::arch::{asm, naked_asm};

use super::Frame;
use crate::arch::upward::{change_all, wake_all};

/// Defines the function that the switch calls if threads were woken from any context, or a process
/// is to change: `$wake`, and then the changes. The function may change r4 to r11, which the switch
/// doesn't use: these registers belong to the process that restarts.
macro_rules! with_changes {
    ($(#[$attribute:meta])* $name:ident, $wake:ident) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        pub extern "C" fn $name() {
            naked_asm!(
                "push {{r2, lr}}",                // r2 keeps the stack aligned
                "bl {wake}",                      // the woken threads are ready
                "bl {change}",                    // r0 = does the interrupted process begin?
                #[cfg(not(noted_pauses))]
                "cbz r0, 2f",                     // no: its registers stay
                #[cfg(noted_pauses)]
                "cmp r0, #0\nbeq 2f",             // no: its registers stay
                "movs r4, #0",                    // it begins: no old word in a low register
                "movs r5, #0",                    // it begins: no old word in a low register
                "movs r6, #0",                    // it begins: no old word in a low register
                "movs r7, #0",                    // it begins: no old word in a low register
                "mov r8, r4",                     // nor in a high one
                "mov r9, r4",                     // nor in a high one
                "mov r10, r4",                    // nor in a high one
                "mov r11, r4",                    // nor in a high one
                "2:",
                "pop {{r2, pc}}",                 // PendSV looks again
                wake = sym $wake,
                change = sym change_all,
            )
        }
    };
}

with_changes!(
    /// For applications whose threads don't take turns by time.
    wake_and_change,
    wake_all
);

#[cfg(feature = "time")]
use crate::arch::upward::wake_all_and_time;

#[cfg(feature = "time")]
with_changes!(
    /// For applications whose threads take turns by time.
    wake_time_and_change,
    wake_all_and_time
);

/// Returns `true` if the running process is live. For the switch and SVCall.
pub fn is_live() -> bool {
    let control: u32;
    // SAFETY: reading CONTROL has no effect.
    unsafe { asm!("mrs {}, CONTROL", out(reg) control, options(nomem, nostack, preserves_flags)) };
    control & 1 != 0
}

/// Returns the stack pointer of the live process.
pub fn live_frame() -> *mut Frame {
    let frame: *mut Frame;
    // SAFETY: reading PSP has no effect.
    unsafe { asm!("mrs {}, PSP", out(reg) frame, options(nomem, nostack, preserves_flags)) };
    frame
}

/// Lets the live process continue with this frame.
///
/// # Safety
/// In the switch; the frame is valid, in the process's memory.
pub unsafe fn set_live_frame(frame: *mut Frame) {
    // SAFETY: the caller's: the process stack isn't in use in handlers.
    unsafe { asm!("msr PSP, {}", in(reg) frame, options(nostack, preserves_flags)) };
}
