//! Sections of the kernel's lock that end by more than its release: somebody is woken, the running
//! thread waits, or the rest of an operation follows, before which no other thread runs.

#![expect(unsafe_code, reason = "a section that ends by a switch hands the lock over")]

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

/// Runs `section` with the kernel's data to itself, and wakes whom it returns. From every context
/// that the kernel knows of.
///
/// A thread is made ready in the same section, and runs at once if it is the most urgent and the
/// caller is a thread that holds no ceiling. Others are woken with the lock released, before
/// another thread runs.
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
    /// Wakes somebody, and ends it.
    #[inline(always)]
    pub fn wake(self, target: WakeTarget) {
        #[cfg(threads)]
        if let Some(thread) = target.thread() {
            // SAFETY: who is woken waits, and is in no ring.
            return unsafe { self.ready(thread) };
        }
        #[cfg(threads)]
        if has_threads() {
            // SAFETY: the lock is handed over; it isn't a thread.
            return unsafe { wake_job(target.word(), self.into_saved(), target.table()) };
        }
        self.end();
        // SAFETY: it isn't a thread.
        unsafe { target.into_job() }.wake();
    }

    /// Makes a thread ready, which runs at once if it is the most urgent and the caller is a thread
    /// that holds no ceiling, and ends it.
    ///
    /// # Safety
    /// The thread is in no ring.
    #[cfg(threads)]
    #[inline(always)]
    pub unsafe fn ready(self, thread: &ThreadBlock) {
        // SAFETY: the lock is held, and handed over. The rest is the caller's.
        unsafe { switch::ready(thread, self.into_saved()) };
    }

    /// Lets the running thread wait, and ends it.
    ///
    /// # Safety
    /// [It may wait](crate::core::park::check_may_block), and somebody will make it ready.
    #[cfg(threads)]
    #[inline(always)]
    pub unsafe fn block(self) {
        // SAFETY: the lock is held, and handed over. The rest is the caller's.
        unsafe { switch::block(self.into_saved()) };
    }

    /// Lets another thread run that the scheduler has just selected, and ends it.
    ///
    /// # Safety
    /// It began where 0 was found, in the thread `from`, which holds no ceiling and is no longer
    /// the running one; `to` is, and is neither `from` nor idle.
    #[cfg(threads)]
    #[inline(always)]
    pub unsafe fn switch(self, to: &ThreadBlock, from: &ThreadBlock) {
        let _handed_over = self.into_saved();
        // SAFETY: the lock is held, and handed over. The rest is the caller's.
        unsafe { switch::switch(to, from) };
    }

    /// Ends it by what is to be behind it.
    #[inline(always)]
    pub fn finish<R>(self, then: SectionEnd<R>, rest: impl FnOnce(R, Pause)) {
        match then {
            SectionEnd::End => self.end(),
            SectionEnd::Wake(target) => self.wake(target),
            SectionEnd::Rest(what) => rest(what, Pause::begin(self)),
        }
    }
}

/// The same for somebody who isn't a thread, whose parts these are, where threads could run before.
/// A function: it needs registers that the way of threads doesn't. What both have comes first, so
/// that nothing is moved on that way.
///
/// # Safety
/// The lock is held, since a section that began where `saved` was found; it isn't a thread.
#[cfg(threads)]
#[inline(never)]
unsafe fn wake_job(word: *const (), saved: Saved, table: &'static RawWakerVTable) {
    // SAFETY: the caller's: the parts of an owned waker.
    unsafe {
        let _pause = Pause::begin(Section::taken_over(saved));
        Waker::new(word, table).wake();
    }
}

/// What is behind a section of the kernel's lock.
pub enum SectionEnd<R> {
    /// Nothing.
    End,
    /// This one is woken, as [`kernel_and_wake`] does.
    Wake(WakeTarget),
    /// The rest of the operation, which is given this.
    Rest(R),
}

/// Runs `section` with the kernel's data to itself, and what is to be behind it. From every context
/// that the kernel knows of.
///
/// Between the section and the end of the pause that `rest` is given, where that is called, no
/// other thread runs: who is made ready meanwhile waits for that, however little urgent the caller
/// is. Interrupts come in between.
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

/// Between two sections of one operation: the lock is released, and no other thread runs.
///
/// Interrupts that the first section held off come at its beginning. Dropped, it lets other threads
/// run: a switch that has become due, as the thread was suspended, happens there.
pub struct Pause {
    /// What was found where the first section began.
    saved: Saved,
}

impl Pause {
    /// Ends the first section.
    #[inline(always)]
    fn begin(section: Section) -> Self {
        let saved = section.saved();
        #[cfg(threads)]
        if has_threads() {
            // SAFETY: from the section, which isn't ended otherwise.
            unsafe { lock::release(mask::without_switches(section.into_saved())) };
        } else {
            section.end();
        }
        #[cfg(not(threads))]
        section.end();
        // The next section may begin with the next instruction.
        mask::take_pending_interrupts();
        Self { saved }
    }

    /// Goes on with the last section, and wakes whom it returns, as [`kernel_and_wake`] does.
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

/// Holds other threads off until what this returns is dropped: for several sections of one
/// operation, between which interrupts come.
#[cfg(processes)]
pub fn hold_switches_off() -> Pause {
    Pause::begin(Section::begin_unchecked())
}

impl Drop for Pause {
    #[inline(always)]
    fn drop(&mut self) {
        #[cfg(threads)]
        if has_threads() {
            // SAFETY: found where the first section began.
            unsafe { mask::let_switch(self.saved) };
        }
    }
}

/// Wakes whom a timer wakes. From every context that the kernel knows of, with the lock released.
///
/// A thread that doesn't wait yet is left alone: a timer may fire between its thread's arming it
/// and waiting, before which the thread looks. One that waits is woken by nobody else.
#[cfg(feature = "time")]
#[inline(always)]
pub fn wake(target: WakeTarget) {
    #[cfg(threads)]
    if target.is_thread() {
        if let Some(thread) = target.thread_that_waits() {
            // SAFETY: it waits, and is in no ring.
            unsafe { Section::begin_unchecked().ready(thread) };
        }
        return;
    }
    // SAFETY: it isn't a thread.
    unsafe { target.into_job() }.wake();
}
