//! Ownership of mutexes by threads, and what it does to their priorities.
//!
//! ```text
//!   thread ──held──> mutex ──next──> mutex          those that count for the owner's priority:
//!     ^                │ waiters        │           others wait for them, or they have a ceiling
//!     └──── owner ─────┴────────────────┘
//! ```
//!
//! A mutex that nobody waits for is one word: its owner. Taking and leaving it is one exclusive
//! access, without any lock; a waiter sets a bit in that word, so that the owner can't leave by
//! it. Only then is the mutex linked to its owner, which inherits the priority of the first waiter.
//!
//! Leaving hands the mutex over to the first waiter, with the links, and the old owner's priority
//! goes back to its effective one.
//!
//! A mutex with a ceiling is always linked, as it sets a floor at once: its ceiling.
//!
//! # Invariants
//! - INVARIANT(owner): the word is null, or the owner with `WAITED` if and only if somebody waits,
//!   or is about to and has lent its priority, and with `CEILING` if the mutex has one.
//! - INVARIANT(held): a mutex with `WAITED` or `CEILING` is in its owner's list, and no other is.
//!   It doesn't move: who waits borrows it, and one with a ceiling is borrowed for ever.
//! - INVARIANT(plain): if an owner's link to its first mutex has `PLAIN`, that mutex has `CEILING`
//!   alone, and is the only one. In a link from mutex to mutex it means nothing.
//! - INVARIANT(lent): if a mutex that counts has `LENT` in its own link, somebody is in a call that
//!   returns with the mutex. So it may stay in its owner's list though nobody waits.
//! - INVARIANT(thread-waiters): waiters are threads: the word of each one's wake target is its
//!   control block's address.

#![expect(unsafe_code, reason = "owners and mutexes are linked through pointers")]

use ::core::pin::Pin;
use ::core::ptr;
use ::core::sync::atomic::Ordering;

use crate::arch::{switch, words};
use crate::core::application::is_cooperative;
use crate::core::list::{Linked, Search, State, Waiter};
use crate::core::lock::{self, KernelLock, Saved, Section, kernel};
use crate::core::park;
use crate::core::record::WakeTarget;
use crate::core::record::mutex::{CEILING, WAITED};
use crate::core::scheduler::{Elsewhere, SCHEDULER, ThreadBlock};
use crate::core::section::{Pause, SectionEnd, kernel_and_then};

pub use crate::core::record::{Ownership, WithCeiling};
use held::plainly;
use inheritance::{apply_here, propagate_at_least};
pub use inheritance::{propagate, set_base};

mod ceiling;
mod held;
mod inheritance;

/// Takes a mutex for the running thread, if nobody has it. An error says who has.
pub type Enter<'a> = &'a dyn Fn(&KernelLock<'_>) -> Result<(), &'static ThreadBlock>;

/// A thread was to wait for a mutex that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Itself;

/// What a step of a thread towards a mutex came to.
enum Entering {
    /// It has the mutex.
    Entered,
    /// It searches for its place among those who wait.
    Searches,
    /// It is one of them.
    Waits,
}

impl Ownership {
    /// Whether the running thread has it.
    #[inline(always)]
    pub fn is_mine(&self) -> bool {
        self.owner().is_some_and(|owner| ptr::eq(owner, SCHEDULER.running()))
    }

    /// Takes it for the running thread, if nobody has it. May fail although nobody has.
    #[inline(always)]
    #[must_use]
    pub fn try_enter(&self) -> bool {
        let running = ptr::from_ref(SCHEDULER.running()).cast_mut();
        words::replace_pointer(&self.owner, ptr::null_mut(), running)
    }

    /// Leaves it, if nobody waits for it. May fail although nobody does.
    #[inline(always)]
    #[must_use]
    pub fn try_leave(&self) -> bool {
        let running = ptr::from_ref(SCHEDULER.running()).cast_mut();
        words::replace_pointer(&self.owner, running, ptr::null_mut())
    }

    /// Takes it for the running thread, if nobody has it.
    ///
    /// # Errors
    /// Who has it.
    pub fn enter(&self, _lock: &KernelLock<'_>) -> Result<(), &'static ThreadBlock> {
        match self.owner() {
            Some(owner) => Err(owner),
            // So nobody waits: INVARIANT(owner).
            None => {
                self.set_owner(SCHEDULER.running(), 0);
                Ok(())
            }
        }
    }

    /// Takes it for the running thread, which waits until it has it.
    ///
    /// # Errors
    /// [`Itself`] if it has it already.
    #[inline(always)]
    pub fn enter_blocking(&self) -> Result<(), Itself> {
        let saved = Section::begin().into_saved();
        let had = if is_cooperative() {
            enter_slowly(self, saved)
        } else {
            // SAFETY: the lock is held, and handed over.
            unsafe { switch::enter_or_lend(self, saved) }
        };
        if had { Err(Itself) } else { Ok(()) }
    }

    /// Takes it for the running thread, which waits until it has it, step by step. Ends `section`,
    /// in which it begins.
    ///
    /// The owner inherits in the section in which the thread begins to wait. If it waits as well,
    /// or is about to, so does whoever it waits for, which takes sections in which the thread must
    /// still run. So such an owner is *lent* the priority before, and all begins anew with what is
    /// there then. It leaves the mutex as if somebody waited, with its effective priority then.
    #[inline(never)]
    fn enter_by_steps(&self, mut section: Section, enter: Enter<'_>) -> Result<(), Itself> {
        let running = SCHEDULER.running();
        let mut search = Search::new();
        let entered = loop {
            let owner = match enter(&section) {
                Ok(()) => break Ok(()),
                Err(owner) if ptr::eq(owner, running) => break Err(Itself),
                Err(owner) => owner,
            };
            park::check_may_block_cold(section.saved());
            let priority = running.priority(&section);
            // What was lent may be more by now than the effective priority.
            let effective = Self::effective_priority_here(owner, &section).max(priority);
            let inherits = effective != owner.priority(&section);
            let lends = inherits && (!SCHEDULER.is_ready(owner) || owner.has_place());
            // SAFETY: the waiter is idle while the thread runs; control blocks don't move.
            if !lends && unsafe { self.link_own(running, priority, &mut search, &section) } {
                self.note_waited(owner, &section);
                running.note_place_at_mutex(self);
                if inherits {
                    SCHEDULER.change_priority(owner, effective, &section);
                }
                // SAFETY: it may wait; who leaves the mutex makes the thread ready.
                unsafe { section.block() };
                section = Section::begin();
                break Ok(());
            }
            let then = if lends {
                self.note_lent(owner, &section);
                SectionEnd::Rest(())
            } else {
                SectionEnd::End
            };
            section.finish(then, |(), _pause| propagate_at_least(owner, priority));
            lock::take_pending_interrupts();
            section = Section::begin();
        };
        section.end();
        entered
    }

    /// Links the own waiter of the running thread, if its place is found.
    ///
    /// # Safety
    /// As for [`WaitList::link_thread`].
    #[inline(always)]
    unsafe fn link_own(
        &self,
        running: &ThreadBlock,
        priority: u8,
        search: &mut Search<()>,
        lock: &KernelLock<'_>,
    ) -> bool {
        let waiter = running.waiter();
        // SAFETY: the caller's.
        unsafe {
            waiter.prepare_thread(priority);
            self.waiters.link_thread(lock, waiter.into(), priority, search) == Linked::Done
        }
    }

    /// Lets the running thread wait for it until `wait` returns, when the waiter was
    /// granted it, or gives up. Whether the thread has it.
    ///
    /// The thread links a waiter that names it, but may be granted the mutex before it waits.
    pub fn wait_with(
        &self,
        running: &'static ThreadBlock,
        enter: Enter<'_>,
        wait: impl FnOnce(&Waiter<()>),
    ) -> bool {
        let waiter = Waiter::new(());
        // SAFETY: it isn't moved, and is in no list when it is dropped.
        let waiter = unsafe { Pin::new_unchecked(&waiter) };
        let elsewhere = Elsewhere::for_mutex(self, &waiter);
        // SAFETY: as above.
        if !unsafe { self.link(running, waiter, &elsewhere, enter) } {
            return true;
        }
        wait(&waiter);
        // SAFETY: linked above.
        !unsafe { self.give_up(running, &waiter) }
    }

    /// Links a waiter that names the running thread, and lets the owner inherit. False if
    /// nobody has the mutex any more: then the thread does.
    ///
    /// # Safety
    /// The waiter is idle. It is granted, or [unlinked](Self::give_up), before it and `elsewhere`
    /// are dropped.
    #[inline(never)]
    unsafe fn link(
        &self,
        running: &'static ThreadBlock,
        waiter: Pin<&Waiter<()>>,
        elsewhere: &Elsewhere,
        enter: Enter<'_>,
    ) -> bool {
        // SAFETY: the caller's: it is idle. A name owns nothing.
        unsafe {
            waiter.prepare(WakeTarget::job(park::named(running)), running.waiting_priority());
        };
        let mut search = Search::new();
        loop {
            let section = |lock: &KernelLock<'_>| {
                let Err(owner) = enter(lock) else { return (Entering::Entered, SectionEnd::End) };
                // It may have changed since the search began, which then begins anew:
                // INVARIANT(ranked).
                let priority = running.priority(lock);
                waiter.set_priority(priority, lock);
                // SAFETY: the caller's: it is prepared.
                let linked = unsafe { self.waiters.link_cold(lock, waiter, priority, &mut search) };
                if linked == Linked::Again {
                    return (Entering::Searches, SectionEnd::End);
                }
                self.note_waited(owner, lock);
                running.note_place_elsewhere(elsewhere);
                running.set_has_place(true, lock);
                (Entering::Waits, SectionEnd::Rest(owner))
            };
            // No other thread runs before everybody along the chain has its effective priority.
            match kernel_and_then(section, |owner, _pause| propagate(owner)) {
                Entering::Entered => return false,
                Entering::Searches => lock::take_pending_interrupts(),
                Entering::Waits => return true,
            }
        }
    }

    /// Leaves it: hands it over to the first waiter, if there is one, and gives back what the
    /// running thread has inherited.
    #[inline]
    pub fn leave(&self) {
        let saved = Section::begin().into_saved();
        if is_cooperative() {
            return leave_slowly(self, saved);
        }
        // SAFETY: the lock is held, and handed over.
        unsafe { switch::leave_and_switch(self, saved) };
    }

    /// Takes it from `owner`, and gives it to the first waiter. Whom it returns is to be woken,
    /// with its effective priority then, as is the old owner.
    #[inline(always)]
    fn hand_over(&self, owner: &ThreadBlock, lock: &KernelLock<'_>) -> Option<WakeTarget> {
        let kind = self.kind();
        if self.owner.load(Ordering::Relaxed).addr() & (WAITED | CEILING) != 0 {
            self.unlink_from(owner);
        }
        let Some(target) = self.waiters.pop(lock) else {
            self.owner.store(ptr::null_mut(), Ordering::Relaxed);
            return None;
        };
        let next = thread_of(&target);
        if target.is_thread() {
            // It is in no list, and not ready yet.
            next.note_no_place();
        }
        let marks = if self.waiters.is_empty(lock) { kind } else { kind | WAITED };
        self.set_owner(next, marks);
        if marks != 0 {
            self.link_to(next);
        }
        Some(target)
    }

    /// Takes a waiter out that waits no longer, if it is not out already. False if it was granted
    /// the mutex. From every context that the kernel knows of.
    ///
    /// # Safety
    /// The waiter was linked by [`link`](Self::link), for this mutex, by the thread `control`.
    #[inline(never)]
    pub unsafe fn give_up(&self, control: &ThreadBlock, waiter: &Waiter<()>) -> bool {
        let (gave_up, owner) = kernel(|lock| {
            control.set_has_place(false, lock);
            match waiter.state(lock) {
                State::Granted => return (false, None),
                State::Idle => return (true, None),
                State::Linked => {}
            }
            // SAFETY: the caller's. The waker owns nothing.
            let _target = unsafe { self.waiters.unlink(lock, waiter) };
            let owner = self.owner();
            if let Some(owner) = owner
                && self.waiters.is_empty(lock)
            {
                self.note_unwaited(owner);
            }
            (true, owner)
        });
        if let Some(owner) = owner {
            propagate(owner);
        }
        gave_up
    }

    /// The effective priority of a thread, where it is asked for often: most have no mutex that
    /// counts.
    #[inline(always)]
    pub fn effective_priority_here(control: &ThreadBlock, lock: &KernelLock<'_>) -> u8 {
        if control.held().get().is_null() {
            control.base(lock)
        } else {
            Self::effective_priority(control, lock)
        }
    }

    /// The effective priority of a thread: at least what each mutex that it has asks for.
    #[inline(never)]
    pub fn effective_priority(control: &ThreadBlock, lock: &KernelLock<'_>) -> u8 {
        Self::effective_priority_for(control, |_| true, lock)
    }

    /// The effective priority of a thread when it has left this one, which it has.
    pub fn effective_priority_without(&self, control: &ThreadBlock, lock: &KernelLock<'_>) -> u8 {
        Self::effective_priority_for(control, |mutex| !ptr::eq(mutex, self), lock)
    }

    /// The effective priority of a thread for those of its mutexes that `counts` says.
    #[inline(always)]
    fn effective_priority_for(
        control: &ThreadBlock,
        counts: impl Fn(&Self) -> bool,
        lock: &KernelLock<'_>,
    ) -> u8 {
        let mut effective = control.base(lock);
        let mut next = control.held().get();
        // SAFETY: INVARIANT(held): mutexes in a list live.
        while let Some(mutex) = unsafe { plainly(next).as_ref() } {
            if counts(mutex) {
                effective = effective.max(mutex.priority_floor(lock));
            }
            next = mutex.next.get();
        }
        effective
    }

    /// The priority that the owner has at least.
    fn priority_floor(&self, lock: &KernelLock<'_>) -> u8 {
        let ceiling = if self.kind() == CEILING {
            // SAFETY: INVARIANT(owner).
            unsafe { WithCeiling::of(self) }
        } else {
            0
        };
        self.waiters.first_priority(lock).max(ceiling)
    }
}

/// Takes a mutex for the running thread, which waits until it has it, where that is not as simple
/// as the assembly would have it. Whether the thread had it before.
///
/// The kernel's lock is held, since a section that began where `saved` was found; this ends it.
#[unsafe(export_name = "__quintet_enter_slowly")]
pub extern "C" fn enter_slowly(mutex: &Ownership, saved: Saved) -> bool {
    // SAFETY: the caller's, which hands the lock over.
    let section = unsafe { Section::taken_over(saved) };
    mutex.enter_by_steps(section, &|lock| mutex.enter(lock)).is_err()
}

/// The same for [leaving](Ownership::leave) it. What follows from that is done in sections of their
/// own, before which no other thread runs.
#[unsafe(export_name = "__quintet_leave_slowly")]
pub extern "C" fn leave_slowly(mutex: &Ownership, saved: Saved) {
    let running = SCHEDULER.running();
    // SAFETY: the caller's, which hands the lock over.
    let section = unsafe { Section::taken_over(saved) };
    let next = mutex.hand_over(running, &section);
    section.finish(SectionEnd::Rest(next), |next, pause| apply_both(running, next, pause));
}

/// Gives the running thread, which has left a mutex, and the next owner their
/// effective priorities, and wakes that one.
fn apply_both(running: &ThreadBlock, next: Option<WakeTarget>, pause: Pause) {
    let Some(target) = next else {
        return pause.kernel_and_wake(|lock| {
            apply_here(running, lock);
            None
        });
    };
    let next = thread_of(&target);
    kernel(|lock| apply_here(next, lock));
    kernel(|lock| apply_here(running, lock));
    pause.kernel_and_wake(|_lock| Some(target));
}

/// The thread that a waiter for a mutex names: INVARIANT(thread-waiters).
#[inline(always)]
fn thread_of(target: &WakeTarget) -> &'static ThreadBlock {
    // SAFETY: INVARIANT(thread-waiters): in either form it is the word.
    unsafe { &*target.word().cast::<ThreadBlock>() }
}

#[cfg(test)]
mod tests;
