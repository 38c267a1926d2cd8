//! Functions for the switch of the host, where no thread runs. On the targets, the assembly does
//! this itself.

#![expect(unsafe_code, reason = "the switch hands the lock over, and calls by symbols")]

use crate::core::lock::{Saved, Section};
use crate::core::record::{SCHEDULER, ThreadBlock};

/// Makes a thread ready, and ends the section.
///
/// # Safety
/// The lock is held, since a section that found `saved` at its beginning, and is handed over.
#[unsafe(export_name = "__quintet_make_ready_and_release")]
unsafe extern "C" fn make_ready_and_release(thread: &ThreadBlock, saved: Saved) {
    // SAFETY: the caller's.
    let section = unsafe { Section::taken_over(saved) };
    SCHEDULER.make_ready(thread, &section);
    section.end();
}

/// Ends the section, if the running thread was notified since it last parked. Otherwise notes that
/// the thread waits for a notification. Returns `true` if the thread has to wait.
///
/// # Safety
/// As for [`make_ready_and_release`]. If the thread has to wait, the lock belongs to the caller
/// again.
#[unsafe(export_name = "__quintet_park_or_release")]
unsafe extern "C" fn park_or_release(saved: Saved) -> bool {
    // SAFETY: the caller's.
    let section = unsafe { Section::taken_over(saved) };
    if SCHEDULER.take_notification(&section) {
        section.end();
        return false;
    }
    SCHEDULER.note_parked(&section);
    let _handed_back = section.into_saved();
    true
}
