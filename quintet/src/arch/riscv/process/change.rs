//! Processes that end or restart from outside: the functions that the switch calls for them.
//!
//! A process that was interrupted has all its registers in its record, as any other process. So
//! none is *live*, as one may be on a Cortex-M.

use super::Frame;

/// Makes the woken threads ready, and begins the changes of processes.
pub extern "C" fn wake_and_change() {
    // SAFETY: the functions of `core` by these names; the switch calls this.
    unsafe {
        crate::arch::upward::wake_all();
        let _begins = crate::arch::upward::change_all();
    }
}

/// The same for applications whose threads take turns by time.
#[cfg(feature = "time")]
pub extern "C" fn wake_time_and_change() {
    // SAFETY: as above.
    unsafe {
        crate::arch::upward::wake_all_and_time();
        let _begins = crate::arch::upward::change_all();
    }
}

/// Returns `false`: no process is live.
pub const fn is_live() -> bool {
    false
}

/// Returns null, as no process is live.
pub const fn live_frame() -> *mut Frame {
    ::core::ptr::null_mut()
}

/// Does nothing, as no process is live.
///
/// # Safety
/// None.
pub const unsafe fn set_live_frame(_frame: *mut Frame) {}
