//! Processes that end, or start anew, from outside: what the switch calls for them, and what of the
//! process that it has interrupted is still in registers.
//!
//! The switch interrupts a process while that is the last that ran in thread mode: then its stack
//! pointer is in PSP, and r4 to r11 are in these registers, not behind its control block. Such a
//! process is *live*. CONTROL.nPRIV says so, which only `__quintet_enter_process` sets.

use ::core::arch::{asm, naked_asm};

use super::Frame;
use crate::arch::upward::{change_all, wake_all};

/// What the switch calls when somebody was woken from anywhere, or a process is to change: `$wake`,
/// and the changes. It may change r4 to r11, which the switch doesn't use: they are those of the
/// process that starts anew.
macro_rules! with_changes {
    ($(#[$attribute:meta])* $name:ident, $wake:ident) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        pub extern "C" fn $name() {
            naked_asm!(
                "push {{r2, lr}}",
                "bl {wake}",
                "bl {change}",
                "cbz r0, 2f",
                "movs r4, #0",
                "movs r5, #0",
                "movs r6, #0",
                "movs r7, #0",
                "mov r8, r4",
                "mov r9, r4",
                "mov r10, r4",
                "mov r11, r4",
                "2:",
                "pop {{r2, pc}}",
                wake = sym $wake,
                change = sym change_all,
            )
        }
    };
}

with_changes!(
    /// Where no threads take turns by time.
    wake_and_change,
    wake_all
);

#[cfg(feature = "time")]
use crate::arch::upward::wake_all_and_time;

#[cfg(feature = "time")]
with_changes!(
    /// Where threads take turns by time.
    wake_time_and_change,
    wake_all_and_time
);

/// Whether the process that is the running one is live: for the switch and SVCall.
pub fn is_live() -> bool {
    let control: u32;
    // SAFETY: reading CONTROL has no effect.
    unsafe { asm!("mrs {}, CONTROL", out(reg) control, options(nomem, nostack, preserves_flags)) };
    control & 1 != 0
}

/// The stack pointer of the live process.
pub fn live_frame() -> *mut Frame {
    let frame: *mut Frame;
    // SAFETY: reading PSP has no effect.
    unsafe { asm!("mrs {}, PSP", out(reg) frame, options(nomem, nostack, preserves_flags)) };
    frame
}

/// Lets the live process go on with this frame.
///
/// # Safety
/// In the switch; the frame is one, in the process's memory.
pub unsafe fn set_live_frame(frame: *mut Frame) {
    // SAFETY: the caller's: the process stack isn't in use in handlers.
    unsafe { asm!("msr PSP, {}", in(reg) frame, options(nostack, preserves_flags)) };
}
