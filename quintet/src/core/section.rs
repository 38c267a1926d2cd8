//! Sections of the kernel's lock whose end does more than release the lock. Such a section wakes a
//! waiter, lets the running thread wait, or is followed by the rest of an operation, before which
//! no other thread runs.

#![expect(unsafe_code, reason = "a section that ends by a switch hands the lock over")]

#[cfg(threads)]
use ::core::hint::cold_path;
use ::core::mem::ManuallyDrop;
#[cfg(threads)]
use ::core::task::{RawWakerVTable, Waker};

use crate::arch::mask;
#[cfg(threads)]
use crate::arch::switch;
#[cfg(threads)]
use crate::core::application::has_threads;
#[cfg(threads)]
use crate::core::lock;
use crate::core::lock::{KernelLock, Saved, Section, take_pending_interrupts};
#[cfg(threads)]
use crate::core::record::ThreadBlock;
use crate::core::record::WakeTarget;

/// Runs `section` while no other context can touch the kernel's data, and wakes the target that
/// `section` returns. From every context that the kernel knows of.
///
/// A thread is made ready in the same section. The thread runs at once if no other thread is more
/// urgent and the caller is a thread that holds no ceiling. Other targets are woken with the lock
/// released, before another thread runs.
#[inline(always)]
pub fn kernel_and_wake<T>(section: impl FnOnce(&KernelLock<'_>) -> (T, Option<WakeTarget>)) -> T {
    let begun = Section::begin_for(&section);
    let (result, target) = section(&begun);
    let Some(target) = target else {
        begun.end();
        return result;
    };
    begun.wake(target);
    result
}

impl Section {
    /// Wakes `target`, and ends the section.
    #[inline(always)]
    pub fn wake(self, target: WakeTarget) {
        #[cfg(threads)]
        if let Some(thread) = target.thread() {
            // SAFETY: the woken thread waits, so the thread is in no ring.
            return unsafe { self.ready(thread) };
        }
        #[cfg(threads)]
        cold_path();
        #[cfg(threads)]
        if has_threads() {
            // SAFETY: the lock is handed over; the target isn't a thread.
            return unsafe { wake_job(target.word(), self.into_saved(), target.table()) };
        }
        self.end();
        // SAFETY: the target isn't a thread.
        unsafe { target.into_job() }.wake();
    }

    /// Makes `thread` ready, and ends the section. `thread` runs at once if no other thread is more
    /// urgent and the caller is a thread that holds no ceiling.
    ///
    /// # Safety
    /// The thread is in no ring.
    #[cfg(threads)]
    #[inline(always)]
    pub unsafe fn ready(self, thread: &ThreadBlock) {
        // SAFETY: the lock is held, and handed over. The rest is the caller's.
        unsafe { switch::ready(thread, self.into_saved()) };
    }

    /// Lets the running thread wait, and ends the section.
    ///
    /// # Safety
    /// The thread [may wait](crate::core::park::check_may_block), and another context will make the
    /// thread ready.
    #[cfg(threads)]
    #[inline(always)]
    pub unsafe fn block(self) {
        // SAFETY: the lock is held, and handed over. The rest is the caller's.
        unsafe { switch::block(self.into_saved()) };
    }

    /// Lets the thread run that the scheduler has just selected, and ends the section.
    ///
    /// # Safety
    /// The section found 0 at its beginning. The thread `from` began the section, holds no ceiling,
    /// and is no longer the running thread. `to` is the running thread, and is neither `from` nor
    /// idle.
    #[cfg(threads)]
    #[inline(always)]
    pub unsafe fn switch(self, to: &ThreadBlock, from: &ThreadBlock) {
        let _handed_over = self.into_saved();
        // SAFETY: the lock is held, and handed over. The rest is the caller's.
        unsafe { switch::switch(to, from) };
    }

    /// Ends the section as `then` says.
    #[inline(always)]
    pub fn finish<R>(self, then: SectionEnd<R>, rest: impl FnOnce(R, Pause)) {
        match then {
            SectionEnd::End => self.end(),
            SectionEnd::Wake(target) => self.wake(target),
            SectionEnd::Rest(what) => rest(what, Pause::begin(self)),
        }
    }
}

/// Wakes a target that isn't a thread, in an application with threads. `word` and `table` are the
/// parts of the target. This is a separate function, as this path needs registers that the path for
/// threads doesn't need. The arguments that both paths have come first, so that nothing has to be
/// moved on the path for threads.
///
/// # Safety
/// The lock is held, since a section that found `saved` at its beginning. The target isn't a
/// thread.
#[cfg(threads)]
#[inline(never)]
unsafe fn wake_job(word: *const (), saved: Saved, table: &'static RawWakerVTable) {
    // SAFETY: the caller's: the parts of an owned waker.
    unsafe {
        let _pause = Pause::begin(Section::taken_over(saved));
        Waker::new(word, table).wake();
    }
}

/// The end of a section of the kernel's lock.
pub enum SectionEnd<R> {
    /// The section only releases the lock.
    End,
    /// The section wakes this target, as [`kernel_and_wake`] does.
    Wake(WakeTarget),
    /// The rest of the operation follows, and is given this value.
    Rest(R),
}

/// Runs `section` while no other context can touch the kernel's data, and ends the section as
/// `section` says. From every context that the kernel knows of.
///
/// If `rest` is called, `rest` gets a pause. No other thread runs between the section and the end
/// of the pause. A thread that is made ready meanwhile waits for the end of the pause, however
/// urgent that thread is. Interrupts still come.
#[inline(always)]
pub fn kernel_and_then<T, R>(
    section: impl FnOnce(&KernelLock<'_>) -> (T, SectionEnd<R>),
    rest: impl FnOnce(R, Pause),
) -> T {
    let begun = Section::begin_for(&section);
    let (result, then) = section(&begun);
    begun.finish(then, rest);
    result
}

/// The time between two sections of one operation: the lock is released, and no other thread runs.
///
/// Interrupts that the first section held off come at the beginning of the pause. When the pause is
/// dropped, other threads can run again. A switch that has become due meanwhile happens then, for
/// example if the thread was suspended.
pub struct Pause {
    /// For the end: with the mask that was found at the beginning of the first section.
    saved: Saved,
}

impl Pause {
    /// Ends the first section.
    #[inline(always)]
    fn begin(section: Section) -> Self {
        #[cfg(threads)]
        let saved = if has_threads() {
            let (until_then, saved) = mask::without_switches(section.into_saved());
            // SAFETY: from the section, which isn't ended otherwise.
            unsafe { lock::release(until_then) };
            saved
        } else {
            let saved = section.saved();
            section.end();
            saved
        };
        #[cfg(not(threads))]
        let saved = section.saved();
        #[cfg(not(threads))]
        section.end();
        // The next section may begin with the next instruction.
        mask::take_pending_interrupts();
        Self { saved }
    }

    /// Runs the last section, and wakes the target that `section` returns, as [`kernel_and_wake`]
    /// does.
    #[inline(always)]
    pub fn kernel_and_wake(self, section: impl FnOnce(&KernelLock<'_>) -> Option<WakeTarget>) {
        let saved = ManuallyDrop::new(self).saved;
        // SAFETY: from the first section, which ends here.
        let begun = unsafe { Section::begin_within(saved) };
        match section(&begun) {
            Some(target) => begun.wake(target),
            None => begun.end(),
        }
        take_pending_interrupts();
    }
}

/// Holds other threads off until the returned pause is dropped. Use this for several sections of
/// one operation, between which interrupts come.
#[cfg(processes)]
pub fn hold_switches_off() -> Pause {
    Pause::begin(Section::begin_unchecked())
}

impl Drop for Pause {
    #[inline(always)]
    fn drop(&mut self) {
        #[cfg(threads)]
        if has_threads() {
            // SAFETY: `saved` was found at the beginning of the first section.
            unsafe { mask::let_switch(self.saved) };
        }
    }
}

/// Wakes the target of a timer. From every context that the kernel knows of, with the lock
/// released.
///
/// If the target is a thread that doesn't wait yet, this has no effect. A timer may fire after its
/// thread has armed the timer and before the thread waits; the thread looks before it waits.
/// Nothing but the timer wakes such a thread once it waits.
#[cfg(feature = "time")]
#[inline(always)]
pub fn wake(target: WakeTarget) {
    #[cfg(threads)]
    if target.is_thread() {
        if let Some(thread) = target.thread_that_waits() {
            // SAFETY: the thread waits, and is in no ring.
            unsafe { Section::begin_unchecked().ready(thread) };
        }
        return;
    }
    // SAFETY: the target isn't a thread.
    unsafe { target.into_job() }.wake();
}
