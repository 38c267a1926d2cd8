//! Deferred wakes: threads are woken from anywhere, also from interrupts that no mask holds off.
//!
//! ```text
//!   deferred ──> last ──> ... ──> first   pushed by atomic steps, by whoever wakes
//!                                         taken as a whole by the switch, and turned round
//! ```
//!
//! Waking pends the switch, which makes ready whom it finds, under the kernel's lock, in the order
//! in which they were woken. Idle in the list, which never awaits a wake, says that slices are to
//! be timed. The switch knows by a pointer what to call, so that all of this is linked only where
//! threads are woken from anywhere.
//!
//! A thread that doesn't await a wake when one comes has it noted, in the link that it has for the
//! list. Notifications, which end [parking](crate::core::park::park), are noted apart from that:
//! who waits for the one doesn't take the other away.
//!
//! # Invariants
//! - INVARIANT(pushed-before-switch): between the mark that says that a thread is in the list and
//!   the push, no other thread runs. Whoever finds the mark leaves the push to the one who set it,
//!   who could otherwise be preempted or suspended for as long as it takes. The kernel's lock holds
//!   the switch off; interrupts above it may come between, and pend a switch that comes behind.
//! - INVARIANT(awaits-unnoted): of a thread that awaits a wake none is noted: it looks, and begins
//!   to await one, in one section, and who ends its wait notes nothing. So who finds one noted
//!   needn't wake.
//! - INVARIANT(idle-unnoted): nothing is ever noted of idle, which is never alive: it can be put
//!   into the list whenever slices are to be timed.

use ::core::ptr::{self, NonNull};
use ::core::sync::atomic::{AtomicPtr, Ordering};

use crate::core::lock::{KernelLock, kernel};
#[cfg(target_os = "none")]
use crate::core::lock::{Saved, Section};
use crate::core::record::scheduler::{HOOKS_SLOT, OptionalHooks};
use crate::core::record::thread::State;
use crate::core::record::{SCHEDULER, Scheduler, ThreadBlock};

impl Scheduler {
    /// Notes that a thread is to be woken. From any context, also one that no mask holds off;
    /// whoever called pends a switch, which [looks](Self::take_all_deferred) at it.
    pub(crate) fn wake_from_anywhere(&self, control: &ThreadBlock) {
        if self.hooks().is_none() {
            self.begin_to_wake();
        }
        // INVARIANT(pushed-before-switch).
        kernel(|_| self.push_deferred(control));
    }

    /// Puts a thread into the list, unless it is there.
    #[inline(always)]
    pub(super) fn push_deferred(&self, control: &ThreadBlock) {
        let (next, none) = (&control.deferred_next, ptr::null_mut());
        if next.compare_exchange(none, marked(none), Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            // It is in the list already, and its turn is to come; or a wake is noted:
            // INVARIANT(awaits-unnoted).
            return;
        }
        let own = control.own().as_ptr();
        let mut last = self.deferred.load(Ordering::Relaxed);
        loop {
            next.store(marked(last), Ordering::Relaxed);
            match self.deferred.compare_exchange_weak(
                last,
                own,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(other) => last = other,
            }
        }
    }

    /// What not every application has, if something of it was used.
    #[inline(always)]
    pub(super) fn hooks(&self) -> Option<&'static OptionalHooks> {
        // SAFETY: null, or one of the statics.
        unsafe { self.hooks_word().load(Ordering::Relaxed).as_ref() }
    }

    /// The same where something of it was used.
    ///
    /// # Safety
    /// It was: nobody takes it away.
    #[inline(always)]
    pub(super) unsafe fn hooks_in_use(&self) -> &'static OptionalHooks {
        // SAFETY: the caller's.
        unsafe { self.hooks().unwrap_unchecked() }
    }

    /// Where that stands.
    #[inline(always)]
    pub(super) fn hooks_word(&self) -> &AtomicPtr<OptionalHooks> {
        let slot = self.queue[HOOKS_SLOT].as_ptr().cast::<*mut OptionalHooks>();
        // SAFETY: a pointer, which lives as long as this. No thread has the slot.
        unsafe { AtomicPtr::from_ptr(slot) }
    }

    /// Lets the switch know how threads are woken, if it doesn't.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_to_wake(&self) {
        let (none, own) = (ptr::null_mut(), ptr::from_ref(&HOOKS).cast_mut());
        // Threads that take turns have another one, perhaps since this was looked at.
        let _other =
            self.hooks_word().compare_exchange(none, own, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Takes all that were woken from anywhere, the first that was before the others. To be
    /// [woken](Self::wake_taken) one by one.
    pub(crate) fn take_all_deferred(&self) -> Option<NonNull<ThreadBlock>> {
        let mut last = self.deferred.swap(ptr::null_mut(), Ordering::Relaxed);
        let mut first = ptr::null_mut();
        // SAFETY: control blocks live for ever. Nobody else changes these links: who is taken
        // doesn't enter the list again before it is woken.
        while let Some(control) = unsafe { last.as_ref() } {
            let before = control.deferred_next.load(Ordering::Relaxed);
            control.deferred_next.store(marked(first), Ordering::Relaxed);
            (first, last) = (last, unmarked(before));
        }
        NonNull::new(first)
    }

    /// Wakes the first of those that were taken, and returns the next. The caller, which is the
    /// switch, looks who is to run when it is through.
    ///
    /// # Safety
    /// `taken` is from [`take_all_deferred`](Self::take_all_deferred), or from this.
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
        // From here on it may enter the list again, unless a wake is noted.
        let link = if notes { NOTED } else { ptr::null_mut() };
        control.deferred_next.store(link, Ordering::Relaxed);
        if awaits {
            self.enter(control, lock);
        }
        NonNull::new(unmarked(next))
    }

    /// Whether a wake of the running thread was noted; no longer.
    #[must_use]
    pub(crate) fn take_wake(&self, _lock: &KernelLock<'_>) -> bool {
        let link = &self.running().deferred_next;
        // Who isn't held off by the lock changes no other link than null.
        let noted = link.load(Ordering::Relaxed) == NOTED;
        if noted {
            link.store(ptr::null_mut(), Ordering::Relaxed);
        }
        noted
    }

    /// Notes a wake of a thread that awaits none: its next wait for one is over at once.
    pub(crate) fn note_wake(control: &ThreadBlock, _lock: &KernelLock<'_>) {
        let (none, link) = (ptr::null_mut(), &control.deferred_next);
        // If it is in the list, a wake comes.
        let _listed = link.compare_exchange(none, NOTED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Ends the present or the next wait for a wake of a thread. Whether the caller has to make it
    /// ready.
    #[must_use]
    pub(crate) fn end_awaiting_or_note(control: &ThreadBlock, lock: &KernelLock<'_>) -> bool {
        let awaits = control.end_awaiting();
        if !awaits && control.state(lock) == State::Alive {
            Self::note_wake(control, lock);
        }
        awaits
    }
}

/// In the link of a thread that isn't in the list: a wake is noted.
const NOTED: *mut ThreadBlock = ptr::without_provenance_mut(2);

/// In the link of a thread that is in the list: so it isn't null, also if it is the last.
const MARK: usize = 1;

fn marked(next: *mut ThreadBlock) -> *mut ThreadBlock {
    next.map_addr(|address| address | MARK)
}

fn unmarked(next: *mut ThreadBlock) -> *mut ThreadBlock {
    next.map_addr(|address| address & !MARK)
}

/// What the switch calls when threads were woken from anywhere. It then looks who is to run.
#[unsafe(export_name = "__quintet_wake_all")]
pub extern "C" fn wake_all() {
    wake_each(|_| ());
}

/// Wakes all that were woken from anywhere, with a section for each, and a look at it before.
#[inline(always)]
pub fn wake_each(mut look: impl FnMut(*const ThreadBlock)) {
    let mut taken = SCHEDULER.take_all_deferred();
    while let Some(first) = taken {
        look(first.as_ptr());
        // SAFETY: `first` is from the list.
        taken = kernel(|lock| unsafe { SCHEDULER.wake_taken(first, lock) });
    }
}

/// Ends the section that began where `saved` was found.
#[cfg(target_os = "none")]
unsafe extern "C" fn release(_control: &ThreadBlock, saved: Saved) {
    // SAFETY: the caller holds the lock, and hands it over.
    unsafe { Section::taken_over(saved) }.end();
}

/// What the assembly calls to make a thread ready that is suspended: it is so when it is resumed.
/// Ends the section.
///
/// # Safety
/// The lock is held, since a section that began where `saved` was found.
#[cfg(target_os = "none")]
#[unsafe(export_name = "__quintet_hold_ready_and_release")]
pub unsafe extern "C" fn hold_ready_and_release(control: &ThreadBlock, saved: Saved) {
    control.set_held_ready(true);
    // SAFETY: the caller holds the lock, and hands it over.
    unsafe { Section::taken_over(saved) }.end();
}

/// What the scheduler calls where threads are woken from anywhere, and take no turns.
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
