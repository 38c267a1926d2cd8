//! Ownership of mutexes by threads, and the effect of mutexes on priorities.
//!
//! ```text
//!   thread ──held──> mutex ──next──> mutex          those that count for the owner's priority:
//!     ^                │ waiters        │           others wait for them, or they have a ceiling
//!     └──── owner ─────┴────────────────┘
//! ```
//!
//! A mutex without waiters is one word: its owner. One exclusive access takes or leaves such a
//! mutex, without any lock. A waiter sets a bit in that word, so that the owner can't leave by that
//! access. Only then is the mutex linked to its owner, which inherits the priority of the first
//! waiter.
//!
//! When the owner leaves, the mutex goes to the first waiter, with the links, and the old owner
//! returns to its effective priority.
//!
//! A mutex with a ceiling is always linked, as the ceiling is a floor for the owner's priority at
//! once.
//!
//! # Invariants
//! - INVARIANT(owner): the word is null, or the owner. The word has `WAITED` if and only if a
//!   thread waits for the mutex, or is about to and has lent its priority. The word has `CEILING`
//!   if the mutex has a ceiling.
//! - INVARIANT(held): exactly the mutexes with `WAITED` or `CEILING` are in their owner's list.
//!   Such a mutex doesn't move: a waiter borrows the mutex, and a mutex with a ceiling is borrowed
//!   for ever.
//! - INVARIANT(plain): if an owner's link to its first mutex has `PLAIN`, that mutex has only
//!   `CEILING`, and is the only mutex in the list. In a link from mutex to mutex, `PLAIN` means
//!   nothing.
//! - INVARIANT(lent): if a mutex that counts has `LENT` in its own link, a thread is in a call that
//!   returns with the mutex. So the mutex may stay in its owner's list although no thread waits.
//! - INVARIANT(thread-waiters): waiters are threads: the word of each waiter's wake target is the
//!   address of the thread's control block.

#![expect(unsafe_code, reason = "owners and mutexes are linked through pointers")]

use ::core::pin::Pin;
use ::core::ptr;
use ::core::sync::atomic::Ordering;

use crate::arch::{switch, words};
use crate::core::application::is_cooperative;
use crate::core::list::{Linked, Search, State, Waiter};
use crate::core::lock::{self, KernelLock, Saved, Section};
use crate::core::park;
use crate::core::record::WakeTarget;
use crate::core::record::mutex::{CEILING, WAITED};
use crate::core::scheduler::{Elsewhere, SCHEDULER, ThreadBlock};
use crate::core::section::{Pause, SectionEnd, kernel_and_then};

pub use crate::core::record::{Ownership, WithCeiling};
use floors::Floors;
use held::LinkSearch;
use inheritance::propagate_at_least;
pub use inheritance::{propagate, set_base};

mod ceiling;
mod floors;
mod held;
mod inheritance;

/// A function that takes a mutex for the running thread, if the mutex has no owner. An error is the
/// owner.
pub type Enter<'a> = &'a dyn Fn(&KernelLock<'_>) -> Result<(), &'static ThreadBlock>;

/// The error of a thread that would wait for a mutex that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Itself;

/// The result of a thread's step towards a mutex.
enum Entering {
    /// The thread has the mutex.
    Entered,
    /// The thread searches for its place among the waiters.
    Searches,
    /// The thread is one of the waiters.
    Waits,
}

impl Ownership {
    /// Returns `true` if the running thread has the mutex.
    #[inline(always)]
    pub fn is_mine(&self) -> bool {
        let owner = self.owner.load(Ordering::Relaxed).addr() & !(WAITED | CEILING);
        owner == ptr::from_ref(SCHEDULER.running()).addr()
    }

    /// Takes the mutex for the running thread, if the mutex has no owner. May fail even then.
    #[inline(always)]
    #[must_use]
    pub fn try_enter(&self) -> bool {
        let running = ptr::from_ref(SCHEDULER.running()).cast_mut();
        words::replace_pointer(&self.owner, ptr::null_mut(), running)
    }

    /// Leaves the mutex, if no thread waits for it. May fail even then.
    #[inline(always)]
    #[must_use]
    pub fn try_leave(&self) -> bool {
        let running = ptr::from_ref(SCHEDULER.running()).cast_mut();
        words::replace_pointer(&self.owner, running, ptr::null_mut())
    }

    /// Takes the mutex for the running thread, if the mutex has no owner.
    ///
    /// # Errors
    /// Returns the owner.
    pub fn enter(&self, _lock: &KernelLock<'_>) -> Result<(), &'static ThreadBlock> {
        match self.owner() {
            Some(owner) => Err(owner),
            // So no thread waits: INVARIANT(owner).
            None => {
                self.set_owner(SCHEDULER.running(), 0);
                Ok(())
            }
        }
    }

    /// Takes the mutex for the running thread, which doesn't have the mutex, and waits until it
    /// has.
    #[inline(always)]
    pub fn enter_blocking(&self) {
        let saved = Section::begin().into_saved();
        if is_cooperative() {
            return enter_slowly(self, saved);
        }
        // SAFETY: the lock is held, and handed over. While the thread runs, nothing makes it the
        // owner.
        unsafe { switch::enter_or_lend(self, saved) };
    }

    /// Takes the mutex for the running thread, which waits until it has the mutex, step by step.
    ///
    /// An owner that is less urgent is *lent* the priority first, and so are the owners along the
    /// chain. This takes several sections, in which the thread must still run. Then the thread
    /// tries again with the present state. An owner that leaves the mutex meanwhile leaves it as if
    /// a thread waited, and has its effective priority then.
    #[inline(never)]
    fn enter_by_steps(&self, enter: Enter<'_>) -> Result<(), Itself> {
        let running = SCHEDULER.running();
        let mut search = Search::new();
        let mut lent = None;
        let mut may_block = false;
        loop {
            let section = Section::begin();
            let owner = match enter(&section) {
                Ok(()) => {
                    let then = self.raised(&section);
                    section.finish(then, |running, _pause| propagate(running));
                    return Ok(());
                }
                Err(owner) if ptr::eq(owner, running) => {
                    section.end();
                    return Err(Itself);
                }
                Err(owner) => owner,
            };
            if !may_block {
                may_block = true;
                park::check_may_block_cold(section.saved());
                section.end();
                lock::take_pending_interrupts();
                continue;
            }
            let priority = running.priority(&section);
            let lends = owner.priority(&section) < priority
                // What was lent may be more than the priority by now.
                || lent.is_some_and(|lent| lent != (ptr::from_ref(owner), priority));
            // SAFETY: the waiter is idle while the thread runs; control blocks don't move.
            if !lends && unsafe { self.link_own(running, priority, &mut search, &section) } {
                self.note_waited(owner, &section);
                running.note_place_at_mutex(self);
                // SAFETY: the thread may wait, and the owner that leaves the mutex makes the thread
                // ready.
                unsafe { section.block() };
                return Ok(());
            }
            let then = if lends {
                lent = Some((ptr::from_ref(owner), priority));
                self.note_lent(owner, &section);
                SectionEnd::Rest(())
            } else {
                SectionEnd::End
            };
            section.finish(then, |(), _pause| propagate_at_least(owner, priority));
            // An interrupt that makes this thread less urgent here leaves the owner with what was
            // lent, until this thread tries again or the owner leaves the mutex.
            lock::take_pending_interrupts();
        }
    }

    /// Takes the mutex for the running thread by `enter`, if the mutex has no owner.
    ///
    /// # Errors
    /// Returns the owner.
    pub fn enter_now(&self, enter: Enter<'_>) -> Result<(), &'static ThreadBlock> {
        let section = |lock: &KernelLock<'_>| match enter(lock) {
            Ok(()) => (Ok(()), self.raised(lock)),
            Err(owner) => (Err(owner), SectionEnd::End),
        };
        kernel_and_then(section, |running, _pause| propagate(running))
    }

    /// Returns the end of the section in which the running thread has taken the mutex: if the mutex
    /// has a ceiling above the thread's priority, the thread is raised to it.
    fn raised(&self, lock: &KernelLock<'_>) -> SectionEnd<&'static ThreadBlock> {
        let running = SCHEDULER.running();
        let floor = if self.kind() == CEILING { self.priority_floor(lock) } else { 0 };
        if running.priority(lock) >= floor {
            return SectionEnd::End;
        }
        // An interrupt that sees the owner sees the priority.
        running.priority.set(floor);
        SectionEnd::Rest(running)
    }

    /// Links the own waiter of the running thread. Returns `false` if the search for its place goes
    /// on.
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

    /// Lets the running thread wait for the mutex until `wait` returns. `wait` returns when the
    /// waiter was granted the mutex, or when the thread gives up. Returns `true` if the thread has
    /// the mutex.
    ///
    /// The thread links a waiter that names the thread, but may be granted the mutex before the
    /// thread waits.
    pub fn wait_with(
        &self,
        running: &'static ThreadBlock,
        enter: Enter<'_>,
        wait: impl FnOnce(&Waiter<()>),
    ) -> bool {
        let waiter = Waiter::new(());
        // SAFETY: the waiter isn't moved, and is in no list when it is dropped.
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

    /// Links a waiter that names the running thread, and lets the owner inherit. Returns `false` if
    /// the mutex no longer has an owner; then the running thread has taken the mutex.
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
        // SAFETY: the caller's: the waiter is idle. A name owns nothing.
        unsafe {
            waiter.prepare(WakeTarget::job(park::named(running)), running.waiting_priority());
        };
        let mut search = Search::new();
        loop {
            let section = |lock: &KernelLock<'_>| {
                let Err(owner) = enter(lock) else { return (Entering::Entered, self.raised(lock)) };
                // The priority may have changed since the search began, which then begins anew:
                // INVARIANT(ranked).
                let priority = running.priority(lock);
                waiter.set_priority(priority, lock);
                // SAFETY: the caller's: the waiter is prepared.
                let linked = unsafe { self.waiters.link_cold(lock, waiter, priority, &mut search) };
                if linked == Linked::Again {
                    return (Entering::Searches, SectionEnd::End);
                }
                self.note_waited(owner, lock);
                running.note_place_elsewhere(elsewhere);
                running.set_has_place(true, lock);
                (Entering::Waits, SectionEnd::Rest(owner))
            };
            // No other thread runs before every thread along the chain has its effective priority.
            match kernel_and_then(section, |owner, _pause| propagate(owner)) {
                Entering::Entered => return false,
                Entering::Searches => lock::take_pending_interrupts(),
                Entering::Waits => return true,
            }
        }
    }

    /// Leaves the mutex: hands the mutex over to the first waiter, if there is one, and takes away
    /// the priority that the running thread has inherited.
    #[inline]
    pub fn leave(&self) {
        let saved = Section::begin().into_saved();
        if is_cooperative() {
            return leave_slowly(self, saved);
        }
        // SAFETY: the lock is held, and handed over.
        unsafe { switch::leave_and_switch(self, saved) };
    }

    /// Takes the mutex from its owner, in whose list it is no longer, and gives the mutex to the
    /// first waiter. The caller wakes the returned target. The caller also gives the new owner and
    /// the old owner their effective priorities.
    #[inline(always)]
    fn hand_over(&self, lock: &KernelLock<'_>) -> Option<WakeTarget> {
        let kind = self.kind();
        let Some(target) = self.waiters.pop(lock) else {
            self.owner.store(ptr::null_mut(), Ordering::Relaxed);
            return None;
        };
        let next = thread_of(&target);
        if target.is_thread() {
            // The new owner is in no list, and not ready yet.
            next.note_no_place();
        }
        let marks = if self.waiters.is_empty(lock) { kind } else { kind | WAITED };
        self.set_owner(next, marks);
        if marks != 0 {
            self.link_to(next);
        }
        Some(target)
    }

    /// Takes a waiter out that no longer waits, if the waiter is still in the list. Returns `false`
    /// if the waiter was granted the mutex. From every context that the kernel knows of.
    ///
    /// # Safety
    /// The waiter was linked by [`link`](Self::link), for this mutex, by the thread `control`.
    #[inline(never)]
    pub unsafe fn give_up(&self, control: &ThreadBlock, waiter: &Waiter<()>) -> bool {
        let mut search = LinkSearch::new();
        loop {
            let section = |lock: &KernelLock<'_>| {
                let (state, owner) = (waiter.state(lock), self.owner());
                if state == State::Linked
                    && let Some(owner) = owner
                    && self.waiters.is_alone(waiter, lock)
                    && !self.is_lent()
                {
                    // The last waiter: INVARIANT(owner), INVARIANT(held).
                    let kind = self.kind();
                    if kind == 0 && !self.unlink_from(owner, &mut search, lock) {
                        return (None, SectionEnd::End);
                    }
                    self.set_owner(owner, kind);
                }
                control.set_has_place(false, lock);
                if state != State::Linked {
                    return (Some(state == State::Idle), SectionEnd::End);
                }
                // SAFETY: the caller's. The waker owns nothing.
                let _target = unsafe { self.waiters.unlink(lock, waiter) };
                (Some(true), owner.map_or(SectionEnd::End, SectionEnd::Rest))
            };
            let ended = kernel_and_then(section, |owner, _pause| propagate(owner));
            if let Some(gave_up) = ended {
                return gave_up;
            }
            lock::take_pending_interrupts();
        }
    }

    /// Returns the effective priority that the running thread will have without this mutex, and
    /// what `also` returns in the last section.
    #[inline(always)]
    pub fn effective_priority_without<T>(&self, also: impl Fn(&KernelLock<'_>) -> T) -> (u8, T) {
        Floors::without(SCHEDULER.running(), self).effective(also)
    }

    /// Returns the lowest priority that the owner can have.
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

/// Takes a mutex for the running thread, which waits until it has the mutex. The assembly calls
/// this for the cases that it doesn't handle itself. The thread doesn't have the mutex.
///
/// The kernel's lock is held, since a section that found `saved` at its beginning. This function
/// ends the section.
#[unsafe(export_name = "__quintet_enter_slowly")]
pub extern "C" fn enter_slowly(mutex: &Ownership, saved: Saved) {
    // SAFETY: the caller's, which hands the lock over.
    unsafe { Section::taken_over(saved) }.end();
    // The assembly has changed nothing so far.
    lock::take_pending_interrupts();
    let _entered = mutex.enter_by_steps(&|lock| mutex.enter(lock));
}

/// [Leaves](Ownership::leave) a mutex, in the cases that the assembly doesn't handle itself. The
/// consequences follow in separate sections, before which no other thread runs.
#[unsafe(export_name = "__quintet_leave_slowly")]
pub extern "C" fn leave_slowly(mutex: &Ownership, saved: Saved) {
    let running = SCHEDULER.running();
    // SAFETY: the caller's, which hands the lock over.
    unsafe { Section::taken_over(saved) }.end();
    // The assembly has changed nothing so far.
    lock::take_pending_interrupts();
    let mut search = LinkSearch::new();
    let section = loop {
        let section = Section::begin();
        let counts = mutex.owner.load(Ordering::Relaxed).addr() & (WAITED | CEILING) != 0;
        if !counts || mutex.unlink_from(running, &mut search, &section) {
            break section;
        }
        section.end();
        lock::take_pending_interrupts();
    };
    let next = mutex.hand_over(&section);
    section.finish(SectionEnd::Rest(next), |next, pause| apply_both(running, next, pause));
}

/// Gives the running thread, which has left a mutex, and the next owner their effective priorities.
/// Then wakes the next owner.
fn apply_both(running: &ThreadBlock, next: Option<WakeTarget>, pause: Pause) {
    if let Some(target) = &next {
        propagate(thread_of(target));
    }
    propagate(running);
    pause.kernel_and_wake(|_lock| next);
}

/// Returns the thread that a waiter for a mutex names: INVARIANT(thread-waiters).
#[inline(always)]
fn thread_of(target: &WakeTarget) -> &'static ThreadBlock {
    // SAFETY: INVARIANT(thread-waiters): in both forms the word is the control block's address.
    unsafe { &*target.word().cast::<ThreadBlock>() }
}

#[cfg(test)]
mod tests;
