//! The switch on the host, where the scheduler decides but no thread runs: tests ask for the thread
//! that would run.

#![expect(unsafe_code, reason = "the names and contracts are those of the targets")]

use std::cell::Cell;
use std::ptr::NonNull;

use crate::arch::upward;
use crate::core::lock::{Saved, Section};
use crate::core::record::{Ownership, SCHEDULER, ThreadBlock, WaitList, WithCeiling};

thread_local! {
    /// `true` if a switch is pending.
    static PENDING: Cell<bool> = const { Cell::new(false) };
}

/// Defines no exceptions: there are none.
#[doc(hidden)]
#[macro_export]
macro_rules! __switch_exceptions {
    ($ceiling:expr $(, without ceilings)?) => {};
}

/// Lets a switch happen as soon as masks allow.
pub fn pend() {
    PENDING.set(true);
}

/// Returns `true` if a switch was pended since the last call.
#[cfg(test)]
pub fn was_pended() -> bool {
    PENDING.replace(false)
}

/// Returns `false`: no handler interrupts a switch.
pub const fn in_handler() -> bool {
    false
}

/// Returns `true` if a section that found `saved` at its beginning is within another one.
pub const fn is_under_level(saved: Saved) -> bool {
    saved != 0
}

/// Returns `false`: there are no interrupts.
pub const fn interrupts_are_off(_saved: Saved) -> bool {
    false
}

/// Makes a thread ready, and ends the section.
///
/// # Safety
/// As on the targets.
pub unsafe fn ready(thread: &ThreadBlock, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { upward::make_ready_and_release(thread, saved) };
}

/// Panics: a thread can't wait here.
///
/// # Safety
/// As on the targets.
pub unsafe fn block(saved: Saved) {
    // SAFETY: the caller's.
    unsafe { Section::taken_over(saved) }.end();
    panic!("threads don't run on the host: run the program in the simulator");
}

/// Panics: a thread can't wait here.
///
/// # Safety
/// As on the targets.
pub unsafe fn wait(_list: &WaitList<()>) {
    // SAFETY: the caller's.
    unsafe { block(0) };
}

/// Panics: a thread can't wait here.
///
/// # Safety
/// As on the targets.
pub unsafe fn wait_for(_list: &WaitList<()>, _demand: *const ()) {
    // SAFETY: the caller's.
    unsafe { block(0) };
}

/// Continues a thread that was notified; panics otherwise, as a thread can't wait here.
///
/// # Safety
/// As on the targets.
pub unsafe fn park(saved: Saved) {
    // SAFETY: the caller's.
    unsafe {
        if upward::park_or_release(saved) {
            block(saved);
        }
    }
}

/// Panics: a thread can't wait here.
///
/// # Safety
/// As on the targets.
pub unsafe fn wait_for_own(mark: NonNull<()>, saved: Saved, mask: u32) {
    SCHEDULER.running().set_wanted(mark, mask);
    // SAFETY: the caller's.
    unsafe { block(saved) };
}

/// Panics: a thread can't wait here.
///
/// # Safety
/// As on the targets.
#[cfg(feature = "time")]
pub unsafe fn sleep(_ticks: u64, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { block(saved) };
}

#[cfg(feature = "time")]
pub use sleep as sleep_without_ceilings;

/// Takes a mutex, if it has no owner.
///
/// # Safety
/// As on the targets.
pub unsafe fn enter_or_lend(mutex: &Ownership, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { upward::enter_slowly(mutex, saved) };
}

/// Leaves a mutex.
///
/// # Safety
/// As on the targets.
pub unsafe fn leave_and_switch(mutex: &Ownership, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { upward::leave_slowly(mutex, saved) };
}

/// Returns `false`: no case is simple here.
///
/// # Safety
/// As on the targets.
pub const unsafe fn enter_and_raise(_mutex: &WithCeiling, _running: &ThreadBlock) -> bool {
    false
}

/// Returns `false`: no case is simple here.
///
/// # Safety
/// As on the targets.
pub const unsafe fn leave_and_lower(_mutex: &WithCeiling, _running: &ThreadBlock) -> bool {
    false
}

/// Panics: no other thread can run here.
///
/// # Safety
/// As on the targets.
pub unsafe fn switch(_to: &ThreadBlock, _from: &ThreadBlock) {
    // SAFETY: the caller's.
    unsafe { block(0) };
}

/// Panics: no thread ends here.
///
/// # Safety
/// As on the targets.
pub unsafe fn leave(_to: &ThreadBlock) -> ! {
    panic!("threads don't run on the host: run the program in the simulator");
}

/// Panics: no thread's turn ends here.
///
/// # Safety
/// As on the targets.
pub unsafe fn pass() {
    // SAFETY: the caller's.
    unsafe { block(0) };
}

pub use crate::core::record::Entry;

/// Prepares nothing.
///
/// # Safety
/// As on the targets.
pub unsafe fn prepare(
    end: *mut u32,
    _entry: Entry,
    _argument: *mut (),
    _exit: unsafe extern "C" fn() -> !,
) -> *mut u32 {
    end
}

/// Gives no exception a priority.
///
/// # Safety
/// As on the targets.
pub unsafe fn initialise() {}
