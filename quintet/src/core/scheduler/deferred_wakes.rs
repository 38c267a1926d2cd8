//! Deferred wakes: threads are woken from any context, even from interrupts that no mask holds off.
//!
//! ```text
//!   deferred ──> last ──> ... ──> first   pushed by atomic steps, by each wake
//!                                         taken as a whole by the switch, and turned round
//! ```
//!
//! A wake pends the switch. The switch makes the listed threads ready, under the kernel's lock, in
//! the order of their wakes. Idle never awaits a wake; an entry for idle in the list asks to time
//! slices. The switch calls this code by a pointer, so that the code is linked only if threads are
//! woken from any context.
//!
//! If a thread doesn't await a wake when one comes, the thread's link for the list notes the wake.
//! Notifications, which end [parking](crate::core::park::park), have a separate note: a wait for a
//! wake doesn't take a notification away, nor the reverse.
//!
//! # Invariants
//! - INVARIANT(pushed-before-switch): no other thread runs between the mark, which says that a
//!   thread is in the list, and the push. A context that finds the mark relies on the push of the
//!   context that set the mark. So the latter must not be preempted or suspended, which could take
//!   any time. The kernel's lock holds the switch off. Interrupts above the lock may come between,
//!   and pend a switch that comes after the push.
//! - INVARIANT(awaits-unnoted): while a thread awaits a wake, no wake of the thread is noted. The
//!   thread looks, and begins to await a wake, in one section; and a context that ends the wait
//!   notes nothing. So a context that finds a noted wake needn't wake the thread.
//! - INVARIANT(idle-unnoted): no wake of idle is ever noted, as idle is never alive. So idle can be
//!   put into the list whenever slices have to be timed.

use ::core::ptr::{self, NonNull};
use ::core::sync::atomic::{AtomicPtr, Ordering};

#[cfg(plain_switch)]
use crate::arch::words::{
    exchange_pointer as exchange, exchange_pointer as exchange_weak, swap_pointer as swap,
};
use crate::core::lock::{KernelLock, kernel};
#[cfg(target_os = "none")]
use crate::core::lock::{Saved, Section};
use crate::core::record::scheduler::{HOOKS_SLOT, OptionalHooks};
use crate::core::record::thread::State;
use crate::core::record::{SCHEDULER, Scheduler, ThreadBlock};

impl Scheduler {
    /// Puts a thread into the list of threads to wake. From any context, even one that no mask
    /// holds off. The caller then pends a switch, which [takes](Self::take_all_deferred) the list.
    pub(crate) fn wake_from_anywhere(&self, control: &ThreadBlock) {
        if self.hooks().is_none() {
            self.begin_to_wake();
        }
        // INVARIANT(pushed-before-switch).
        kernel(|_| self.push_deferred(control));
    }

    /// Puts a thread into the list, unless the thread is in the list already.
    #[inline(always)]
    pub(super) fn push_deferred(&self, control: &ThreadBlock) {
        let (next, none) = (&control.deferred_next, ptr::null_mut());
        if exchange(next, none, marked(none)).is_err() {
            // The thread is in the list already, and will be woken; or a wake is noted:
            // INVARIANT(awaits-unnoted).
            return;
        }
        let own = control.own().as_ptr();
        let mut last = self.deferred.load(Ordering::Relaxed);
        loop {
            next.store(marked(last), Ordering::Relaxed);
            match exchange_weak(&self.deferred, last, own) {
                Ok(_) => return,
                Err(other) => last = other,
            }
        }
    }

    /// Returns the optional hooks, if a part of them was used.
    #[inline(always)]
    pub(super) fn hooks(&self) -> Option<&'static OptionalHooks> {
        // SAFETY: null, or one of the statics.
        unsafe { self.hooks_word().load(Ordering::Relaxed).as_ref() }
    }

    /// Returns the optional hooks, which are in use.
    ///
    /// # Safety
    /// A part of the hooks was used. The hooks are never removed.
    #[inline(always)]
    pub(super) unsafe fn hooks_in_use(&self) -> &'static OptionalHooks {
        // SAFETY: the caller's.
        unsafe { self.hooks().unwrap_unchecked() }
    }

    /// Returns the word that points to the optional hooks.
    #[inline(always)]
    pub(super) fn hooks_word(&self) -> &AtomicPtr<OptionalHooks> {
        let slot = self.queue[HOOKS_SLOT].as_ptr().cast::<*mut OptionalHooks>();
        // SAFETY: a pointer, which lives as long as `self`. No thread has the slot.
        unsafe { AtomicPtr::from_ptr(slot) }
    }

    /// Sets the optional hooks, if they aren't set yet.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_to_wake(&self) {
        let (none, own) = (ptr::null_mut(), ptr::from_ref(&HOOKS).cast_mut());
        // If threads take turns, there are other hooks, perhaps since the caller's look.
        let _other = exchange(self.hooks_word(), none, own);
    }

    /// Takes all threads that were woken from any context, in the order of their wakes. The caller
    /// [wakes](Self::wake_taken) them one by one.
    pub(crate) fn take_all_deferred(&self) -> Option<NonNull<ThreadBlock>> {
        let mut last = swap(&self.deferred, ptr::null_mut());
        let mut first = ptr::null_mut();
        // SAFETY: control blocks live for ever. No other context changes these links: a taken
        // thread doesn't enter the list again before it is woken.
        while let Some(control) = unsafe { last.as_ref() } {
            let before = control.deferred_next.load(Ordering::Relaxed);
            control.deferred_next.store(marked(first), Ordering::Relaxed);
            (first, last) = (last, unmarked(before));
        }
        NonNull::new(first)
    }

    /// Wakes the first of the taken threads, and returns the next. After the last, the caller,
    /// which is the switch, selects the thread that runs.
    ///
    /// # Safety
    /// `taken` is from [`take_all_deferred`](Self::take_all_deferred), or from this function.
    pub(crate) unsafe fn wake_taken(
        &self,
        taken: NonNull<ThreadBlock>,
        lock: &KernelLock<'_>,
    ) -> Option<NonNull<ThreadBlock>> {
        // SAFETY: control blocks live for ever.
        let control = unsafe { taken.as_ref() };
        let next = control.deferred_next.load(Ordering::Relaxed);
        let awaits = control.end_awaiting();
        // INVARIANT(idle-unnoted).
        let notes = !awaits && control.state(lock) == State::Alive;
        // From here on the thread may enter the list again, unless a wake is noted.
        let link = if notes { NOTED } else { ptr::null_mut() };
        control.deferred_next.store(link, Ordering::Relaxed);
        if awaits {
            self.enter(control, lock);
        }
        NonNull::new(unmarked(next))
    }

    /// Clears the note of a wake. Returns whether a wake of the running thread was noted.
    #[must_use]
    pub(crate) fn take_wake(&self, _lock: &KernelLock<'_>) -> bool {
        let link = &self.running().deferred_next;
        // A context that the lock doesn't hold off changes the link only from null.
        let noted = link.load(Ordering::Relaxed) == NOTED;
        if noted {
            link.store(ptr::null_mut(), Ordering::Relaxed);
        }
        noted
    }

    /// Notes a wake of a thread that doesn't await one, so that the thread's next wait for a wake
    /// ends at once.
    pub(crate) fn note_wake(control: &ThreadBlock, _lock: &KernelLock<'_>) {
        let (none, link) = (ptr::null_mut(), &control.deferred_next);
        // If the thread is in the list, a wake will come.
        let _listed = exchange(link, none, NOTED);
    }

    /// Ends the present or the next wait of a thread for a wake. Returns `true` if the caller has
    /// to make the thread ready.
    #[must_use]
    pub(crate) fn end_awaiting_or_note(control: &ThreadBlock, lock: &KernelLock<'_>) -> bool {
        let awaits = control.end_awaiting();
        if !awaits && control.state(lock) == State::Alive {
            Self::note_wake(control, lock);
        }
        awaits
    }
}

/// Replaces a pointer, if it is `from`; otherwise returns what it is.
#[cfg(not(plain_switch))]
#[inline(always)]
fn exchange<T>(word: &AtomicPtr<T>, from: *mut T, to: *mut T) -> Result<*mut T, *mut T> {
    word.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed)
}

/// The same, which may fail without a reason.
#[cfg(not(plain_switch))]
#[inline(always)]
fn exchange_weak<T>(word: &AtomicPtr<T>, from: *mut T, to: *mut T) -> Result<*mut T, *mut T> {
    word.compare_exchange_weak(from, to, Ordering::Relaxed, Ordering::Relaxed)
}

/// Replaces a pointer, and returns the old one.
#[cfg(not(plain_switch))]
#[inline(always)]
fn swap<T>(word: &AtomicPtr<T>, to: *mut T) -> *mut T {
    word.swap(to, Ordering::Relaxed)
}

/// In the link of a thread that isn't in the list: a wake is noted.
const NOTED: *mut ThreadBlock = ptr::without_provenance_mut(2);

/// In the link of a thread that is in the list. With this mark, even the last thread's link isn't
/// null.
const MARK: usize = 1;

fn marked(next: *mut ThreadBlock) -> *mut ThreadBlock {
    next.map_addr(|address| address | MARK)
}

fn unmarked(next: *mut ThreadBlock) -> *mut ThreadBlock {
    next.map_addr(|address| address & !MARK)
}

/// Wakes the threads that were woken from any context. The switch calls this, and then selects the
/// thread that runs.
#[unsafe(export_name = "__quintet_wake_all")]
pub extern "C" fn wake_all() {
    wake_each(|_| ());
}

/// Wakes all threads that were woken from any context, each in a section of its own. Calls `look`
/// for each thread before its wake.
#[inline(always)]
pub fn wake_each(mut look: impl FnMut(*const ThreadBlock)) {
    let mut taken = SCHEDULER.take_all_deferred();
    while let Some(first) = taken {
        look(first.as_ptr());
        // SAFETY: `first` is from the list.
        taken = kernel(|lock| unsafe { SCHEDULER.wake_taken(first, lock) });
    }
}

/// Ends the section that found `saved` at its beginning.
#[cfg(target_os = "none")]
unsafe extern "C" fn release(_control: &ThreadBlock, saved: Saved) {
    // SAFETY: the caller holds the lock, and hands it over.
    unsafe { Section::taken_over(saved) }.end();
}

/// Makes a suspended thread ready, which takes effect when the thread is resumed. Ends the section.
/// The assembly calls this.
///
/// # Safety
/// The lock is held, since a section that found `saved` at its beginning.
#[cfg(target_os = "none")]
#[unsafe(export_name = "__quintet_hold_ready_and_release")]
pub unsafe extern "C" fn hold_ready_and_release(control: &ThreadBlock, saved: Saved) {
    control.set_held_ready(true);
    // SAFETY: the caller holds the lock, and hands it over.
    unsafe { Section::taken_over(saved) }.end();
}

/// The hooks of applications that wake threads from any context, and whose threads take no turns.
static HOOKS: OptionalHooks = OptionalHooks {
    #[cfg(not(processes))]
    wake_all,
    #[cfg(processes)]
    wake_all: crate::arch::process::change::wake_and_change,
    #[cfg(target_os = "none")]
    note_second_and_release: release,
    note_second: |_, _| (),
    #[cfg(feature = "time")]
    look_at_slices: || (),
};
