//! Wake targets: the parts of a waker, or a thread.

#![expect(unsafe_code, reason = "the parts of a waker are put together again")]

use ::core::mem::ManuallyDrop;
#[cfg(threads)]
use ::core::mem::offset_of;
#[cfg(feature = "time")]
use ::core::ptr;
use ::core::task::{RawWakerVTable, Waker};

#[cfg(threads)]
use crate::core::application::has_threads;

/// A target to wake: the parts of an owned waker, or a thread.
///
/// A thread that waits for one object, and that nothing else wakes, is named by its control block
/// instead of a waker. The context that grants the object makes the thread ready in the same
/// section of the kernel's lock.
#[derive(Debug)]
#[repr(C)]
pub struct WakeTarget {
    /// The waker's function table; `None` for a thread.
    table: Option<&'static RawWakerVTable>,
    /// The waker's word, or the address of a thread's control block.
    data: *const (),
}

// SAFETY: wakers and threads may be woken from every context.
unsafe impl Send for WakeTarget {}

impl WakeTarget {
    /// The offset of the table.
    #[cfg(threads)]
    pub const TABLE: usize = offset_of!(Self, table);
    /// The offset of the word.
    #[cfg(threads)]
    pub const DATA: usize = offset_of!(Self, data);

    /// Takes over a waker.
    #[inline(always)]
    #[must_use]
    pub fn job(waker: Waker) -> Self {
        let waker = ManuallyDrop::new(waker);
        Self { table: Some(waker.vtable()), data: waker.data() }
    }

    /// Makes a target from the parts of a waker that has no other owner, or that owns nothing.
    #[inline(always)]
    pub(in crate::core) const fn of_parts(table: &'static RawWakerVTable, data: *const ()) -> Self {
        Self { table: Some(table), data }
    }

    /// Makes a target from a waker's function table, without a word yet.
    #[cfg(feature = "time")]
    #[must_use]
    pub const fn of_table(table: &'static RawWakerVTable) -> Self {
        Self { table: Some(table), data: ptr::null() }
    }

    /// Replaces the word.
    #[cfg(feature = "time")]
    #[inline(always)]
    pub const fn set_word(&mut self, word: *const ()) {
        self.data = word;
    }

    /// Makes a target that names the thread with the control block at `data`.
    #[cfg(threads)]
    #[must_use]
    pub(super) const fn of_control(data: *const ()) -> Self {
        Self { table: None, data }
    }

    /// Makes a target for a thread that doesn't wait yet. A wake of this target has no effect.
    #[cfg(all(threads, feature = "time"))]
    #[inline(always)]
    #[must_use]
    pub const fn no_thread_yet() -> Self {
        Self { table: None, data: ptr::null() }
    }

    /// Returns the waker's word, or the address of a thread's control block.
    #[cfg(threads)]
    #[inline(always)]
    #[must_use]
    pub const fn word(&self) -> *const () {
        self.data
    }

    /// Returns the waker's function table.
    ///
    /// # Safety
    /// The target isn't a thread.
    #[cfg(threads)]
    #[inline(always)]
    #[must_use]
    pub const unsafe fn table(&self) -> &'static RawWakerVTable {
        // SAFETY: the caller's.
        unsafe { self.table.unwrap_unchecked() }
    }

    /// Returns `true` if the target is a thread.
    #[cfg(threads)]
    #[inline(always)]
    #[must_use]
    pub fn is_thread(&self) -> bool {
        has_threads() && self.table.is_none()
    }

    /// Returns `false`: without threads, no target is a thread.
    #[cfg(not(threads))]
    #[expect(clippy::unused_self, reason = "the same signature as with threads")]
    #[inline(always)]
    #[must_use]
    pub const fn is_thread(&self) -> bool {
        false
    }

    /// Returns the waker, if the target isn't a thread.
    #[inline(always)]
    #[must_use]
    pub fn into_waker(self) -> Option<Waker> {
        if self.is_thread() {
            return None;
        }
        // SAFETY: the target isn't a thread.
        Some(unsafe { self.into_job() })
    }

    /// Returns the waker.
    ///
    /// # Safety
    /// The target isn't a thread.
    #[inline(always)]
    #[must_use]
    pub unsafe fn into_job(self) -> Waker {
        // SAFETY: the caller's, and the parts are those of an owned waker.
        unsafe { Waker::new(self.data, self.table.unwrap_unchecked()) }
    }

    /// Returns `true` if a wake of the target has the same effect as a wake of `waker`.
    #[cfg(feature = "time")]
    #[inline(always)]
    #[must_use]
    pub fn is(&self, waker: &Waker) -> bool {
        ptr::eq(self.data, waker.data())
            && self.table.is_some_and(|table| ptr::eq(table, waker.vtable()))
    }
}
