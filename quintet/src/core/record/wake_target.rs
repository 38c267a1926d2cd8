//! Whom to wake: a waker's parts, or a thread.

#![expect(unsafe_code, reason = "the parts of a waker are put together again")]

use ::core::mem::ManuallyDrop;
#[cfg(threads)]
use ::core::mem::offset_of;
#[cfg(feature = "time")]
use ::core::ptr;
use ::core::task::{RawWakerVTable, Waker};

#[cfg(threads)]
use crate::core::application::has_threads;

/// Whom to wake: the parts of a waker that is owned, or a thread.
///
/// A thread that waits for one object, which nobody else wakes, is named by its control block
/// instead of a waker. Who grants it what it waits for makes it ready in the same section of the
/// kernel's lock.
#[derive(Debug)]
#[repr(C)]
pub struct WakeTarget {
    /// The waker's function table; none for a thread.
    table: Option<&'static RawWakerVTable>,
    /// The waker's word; a thread's control block.
    data: *const (),
}

// SAFETY: wakers and threads may be woken from every context.
unsafe impl Send for WakeTarget {}

impl WakeTarget {
    /// Where the table is.
    #[cfg(threads)]
    pub const TABLE: usize = offset_of!(Self, table);
    /// Where the word is.
    #[cfg(threads)]
    pub const DATA: usize = offset_of!(Self, data);

    /// Takes over a waker.
    #[inline(always)]
    #[must_use]
    pub fn job(waker: Waker) -> Self {
        let waker = ManuallyDrop::new(waker);
        Self { table: Some(waker.vtable()), data: waker.data() }
    }

    /// The parts of a waker of which no other owner is left, or that owns nothing.
    #[inline(always)]
    pub(in crate::core) const fn of_parts(table: &'static RawWakerVTable, data: *const ()) -> Self {
        Self { table: Some(table), data }
    }

    /// A waker's function table, without a word yet.
    #[cfg(feature = "time")]
    #[must_use]
    pub const fn of_table(table: &'static RawWakerVTable) -> Self {
        Self { table: Some(table), data: ptr::null() }
    }

    /// Gives it another word.
    #[cfg(feature = "time")]
    #[inline(always)]
    pub const fn set_word(&mut self, word: *const ()) {
        self.data = word;
    }

    /// Names the thread with the control block at `data`.
    #[cfg(threads)]
    #[must_use]
    pub(super) const fn of_control(data: *const ()) -> Self {
        Self { table: None, data }
    }

    /// Stands for a thread that doesn't wait yet: waking it has no effect.
    #[cfg(all(threads, feature = "time"))]
    #[inline(always)]
    #[must_use]
    pub const fn no_thread_yet() -> Self {
        Self { table: None, data: ptr::null() }
    }

    /// The waker's word; a thread's control block.
    #[cfg(threads)]
    #[inline(always)]
    #[must_use]
    pub const fn word(&self) -> *const () {
        self.data
    }

    /// The waker's function table.
    ///
    /// # Safety
    /// It isn't a thread.
    #[cfg(threads)]
    #[inline(always)]
    #[must_use]
    pub const unsafe fn table(&self) -> &'static RawWakerVTable {
        // SAFETY: the caller's.
        unsafe { self.table.unwrap_unchecked() }
    }

    /// Whether it is a thread.
    #[cfg(threads)]
    #[inline(always)]
    #[must_use]
    pub fn is_thread(&self) -> bool {
        has_threads() && self.table.is_none()
    }

    /// Without threads, nobody is one.
    #[cfg(not(threads))]
    #[expect(clippy::unused_self, reason = "as where there are threads")]
    #[inline(always)]
    #[must_use]
    pub const fn is_thread(&self) -> bool {
        false
    }

    /// Gives the waker back, if it isn't a thread.
    #[inline(always)]
    #[must_use]
    pub fn into_waker(self) -> Option<Waker> {
        if self.is_thread() {
            return None;
        }
        // SAFETY: it isn't.
        Some(unsafe { self.into_job() })
    }

    /// Gives the waker back.
    ///
    /// # Safety
    /// It isn't a thread.
    #[inline(always)]
    #[must_use]
    pub unsafe fn into_job(self) -> Waker {
        // SAFETY: the caller's, and the parts are those of an owned waker.
        unsafe { Waker::new(self.data, self.table.unwrap_unchecked()) }
    }

    /// Whether it does the same as `waker`.
    #[cfg(feature = "time")]
    #[inline(always)]
    #[must_use]
    pub fn is(&self, waker: &Waker) -> bool {
        ptr::eq(self.data, waker.data())
            && self.table.is_some_and(|table| ptr::eq(table, waker.vtable()))
    }
}
