//! The switch on the host, where the scheduler decides but nothing runs: tests ask it who would.

#![expect(unsafe_code, reason = "the names and contracts are those of the targets")]

use std::cell::Cell;
use std::ptr::NonNull;

use crate::arch::upward;
use crate::core::lock::{Saved, Section};
use crate::core::record::{Ownership, SCHEDULER, ThreadBlock, WaitList, WithCeiling};

thread_local! {
    /// Whether a switch is pending.
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

/// Whether a switch was pended since the last call.
#[cfg(test)]
pub fn was_pended() -> bool {
    PENDING.replace(false)
}

/// No handler interrupts a switch.
pub const fn in_handler() -> bool {
    false
}

/// There are no interrupts.
pub const fn interrupts_are_off() -> bool {
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

/// A thread can't wait here.
///
/// # Safety
/// As on the targets.
pub unsafe fn block(saved: Saved) {
    // SAFETY: the caller's.
    unsafe { Section::taken_over(saved) }.end();
    panic!("threads don't run on the host: run the program in the simulator");
}

/// A thread can't wait here.
///
/// # Safety
/// As on the targets.
pub unsafe fn wait(_list: &WaitList<()>) {
    // SAFETY: the caller's.
    unsafe { block(0) };
}

/// A thread can't wait here.
///
/// # Safety
/// As on the targets.
pub unsafe fn wait_for(_list: &WaitList<()>, _demand: *const ()) {
    // SAFETY: the caller's.
    unsafe { block(0) };
}

/// A thread goes on that was notified, and can't wait otherwise.
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

/// A thread can't wait here.
///
/// # Safety
/// As on the targets.
pub unsafe fn wait_for_own(mark: NonNull<()>, saved: Saved, mask: u32) {
    SCHEDULER.running().set_wanted(mark, mask);
    // SAFETY: the caller's.
    unsafe { block(saved) };
}

/// A thread can't wait here.
///
/// # Safety
/// As on the targets.
#[cfg(feature = "time")]
pub unsafe fn sleep(_ticks: u64, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { block(saved) };
}

/// Takes a mutex, if nobody has it.
///
/// # Safety
/// As on the targets.
pub unsafe fn enter_or_lend(mutex: &Ownership, saved: Saved) -> bool {
    // SAFETY: the caller's.
    unsafe { upward::enter_slowly(mutex, saved) }
}

/// Leaves a mutex.
///
/// # Safety
/// As on the targets.
pub unsafe fn leave_and_switch(mutex: &Ownership, saved: Saved) {
    // SAFETY: the caller's.
    unsafe { upward::leave_slowly(mutex, saved) };
}

/// Nothing is simple here.
///
/// # Safety
/// As on the targets.
pub const unsafe fn enter_and_raise(_mutex: &WithCeiling, _running: &ThreadBlock) -> bool {
    false
}

/// Nothing is simple here.
///
/// # Safety
/// As on the targets.
pub const unsafe fn leave_and_lower(_mutex: &WithCeiling, _running: &ThreadBlock) -> bool {
    false
}

/// Nor can another one run.
///
/// # Safety
/// As on the targets.
pub unsafe fn switch(_to: &ThreadBlock, _from: &ThreadBlock) {
    // SAFETY: the caller's.
    unsafe { block(0) };
}

/// Nor does one end.
///
/// # Safety
/// As on the targets.
pub unsafe fn leave(_to: &ThreadBlock) -> ! {
    panic!("threads don't run on the host: run the program in the simulator");
}

/// Nor is its turn over.
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
