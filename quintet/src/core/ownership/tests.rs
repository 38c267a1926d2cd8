//! Owners, waiters and priorities against a model, in random sequences of actions of threads.
//!
//! The thread that the scheduler selects acts: it locks, leaves, gives up, waits for something
//! else, or changes a priority. After each step every thread has the priority of the model, and
//! every list begins with its most urgent waiter.

#![expect(unsafe_code, reason = "waiters are linked, and pinned by hand")]

use std::pin::Pin;
use std::ptr::NonNull;

use super::{CEILING, Floors, Ownership, WithCeiling, set_base};
use crate::core::list::{Linked, Searcher, WaitList, Waiter};
use crate::core::lock::{KernelLock, kernel};
use crate::core::park;
use crate::core::record::WakeTarget;
use crate::core::scheduler::tests::{alone, begin, block, selected, thread};
use crate::core::scheduler::{Elsewhere, SCHEDULER, ThreadBlock};
use crate::sync::tests::model::{keep, random_sequences, under_miri};

const THREADS: usize = 5;
const MUTEXES: usize = 4;
/// The last mutex has this ceiling.
const LIMIT: u8 = 20;
/// The step in which the running thread sleeps.
const SLEEP: usize = 40;
/// The step in which the first thread is woken; the others follow.
const WAKE: usize = 13;

/// A thread that waits for a mutex.
struct Wait {
    mutex: usize,
    waiter: Box<Waiter<()>>,
    _elsewhere: Kept,
}

/// A place that others point to, which a `Box` could not be: its owner may move.
struct Kept(NonNull<Elsewhere>);

impl Kept {
    fn new(elsewhere: Elsewhere) -> Self {
        Self(NonNull::from(Box::leak(Box::new(elsewhere))))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: boxed above, and nobody waits there any more.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// The world, and the state of the model.
struct World {
    threads: [&'static ThreadBlock; THREADS],
    base: [u8; THREADS],
    /// Whether the thread waits for something that isn't a mutex.
    sleeps: [bool; THREADS],
    waits: [Option<Wait>; THREADS],
    plain: [&'static Ownership; MUTEXES - 1],
    ceiling: &'static WithCeiling,
    owner: [Option<usize>; MUTEXES],
}

impl World {
    fn new() -> Self {
        let base = [1, 2, 2, 3, 4];
        let threads = base.map(thread);
        threads.into_iter().for_each(begin);
        Self {
            threads,
            base,
            sleeps: [false; THREADS],
            waits: [const { None }; THREADS],
            plain: [(); MUTEXES - 1].map(|()| keep(Ownership::new())),
            ceiling: keep(WithCeiling::new(LIMIT)),
            owner: [None; MUTEXES],
        }
    }

    fn mutex(&self, index: usize) -> &'static Ownership {
        self.plain.get(index).copied().unwrap_or_else(|| self.ceiling.ownership())
    }

    fn index(&self, control: &ThreadBlock) -> Option<usize> {
        self.threads.iter().position(|thread| std::ptr::eq(*thread, control))
    }

    /// Lets the running thread lock a mutex, or begin to wait for it.
    fn lock(&mut self, own: usize, mutex: usize) {
        // Threads that wait in a circle would wait for ever.
        if self.owner[mutex].is_some_and(|owner| self.waits_for(owner, own)) {
            return;
        }
        let ownership = self.mutex(mutex);
        if mutex < MUTEXES - 1 && ownership.try_enter() {
            self.owner[mutex] = Some(own);
            return;
        }
        if mutex == MUTEXES - 1 && ownership.enter_now(&|lock| self.ceiling.enter(lock)).is_ok() {
            self.owner[mutex] = Some(own);
            return;
        }
        let waiter = Box::new(Waiter::new(()));
        let elsewhere = Kept::new(Elsewhere::for_mutex(ownership, &waiter));
        let enter = |lock: &KernelLock<'_>| ownership.enter(lock);
        // SAFETY: boxed, and kept until the waiter is granted or gives up.
        let linked = unsafe {
            let (waiter, elsewhere) = (Pin::new_unchecked(&*waiter), elsewhere.0.as_ref());
            ownership.link(self.threads[own], waiter, elsewhere, &enter)
        };
        if !linked {
            // The first attempt was an exclusive access, which may fail without a reason; the
            // second, under the lock, may not.
            assert_eq!(self.owner[mutex], None, "somebody has it");
            self.owner[mutex] = Some(own);
            return;
        }
        self.waits[own] = Some(Wait { mutex, waiter, _elsewhere: elsewhere });
        kernel(|lock| self.threads[own].set_awaits_wake(lock));
        block();
    }

    /// Lets the running thread leave a mutex; the most urgent waiter gets it.
    fn leave(&mut self, own: usize, mutex: usize) {
        if self.owner[mutex] != Some(own) {
            return;
        }
        let waiting = self.waiting(mutex);
        let first = waiting.iter().map(|index| self.due(*index)).max();
        if mutex == MUTEXES - 1 {
            self.ceiling.leave();
        } else if self.mutex(mutex).try_leave() {
            assert_eq!(first, None, "nobody leaves by itself who is waited for");
        } else {
            self.mutex(mutex).leave();
        }
        let owner = self.mutex(mutex).owner().and_then(|owner| self.index(owner));
        assert_eq!(owner.is_some(), first.is_some());
        if let Some(next) = owner {
            assert_eq!(Some(self.due(next)), first, "the most urgent is first");
            let wait = self.waits[next].take().expect("it has waited");
            assert!(wait.mutex == mutex && wait.waiter.is_granted());
            kernel(|lock| self.threads[next].set_has_place(false, lock));
        }
        self.owner[mutex] = owner;
    }

    /// Ends a waiter's time.
    fn give_up(&mut self, index: usize) {
        if !self.waiting_for_granted(index) {
            return;
        }
        let wait = self.waits[index].take().expect("it waits");
        // The thread itself does this when it runs.
        kernel(|lock| self.threads[index].set_has_place(false, lock));
        // SAFETY: linked in this list.
        assert!(
            // SAFETY: the thread waits for this mutex, with this waiter.
            unsafe { self.mutex(wait.mutex).give_up(self.threads[index], &wait.waiter) },
            "it isn't granted"
        );
        park::wake_here(self.threads[index]);
    }

    fn waiting_for_granted(&self, index: usize) -> bool {
        self.waits[index].as_ref().is_some_and(|wait| !wait.waiter.is_granted())
    }

    /// Returns the threads that wait for a mutex.
    fn waiting(&self, mutex: usize) -> Vec<usize> {
        let waits = |index: &usize| self.waits[*index].as_ref().map(|wait| wait.mutex);
        (0..THREADS).filter(|index| waits(index) == Some(mutex)).collect()
    }

    /// Returns the priority of the model: the highest of the thread's own priority, its ceilings,
    /// and the priorities of the threads that wait for its mutexes.
    fn due(&self, index: usize) -> u8 {
        let mut due = self.base[index];
        for mutex in (0..MUTEXES).filter(|mutex| self.owner[*mutex] == Some(index)) {
            if mutex == MUTEXES - 1 {
                due = due.max(LIMIT);
            }
            due = self.waiting(mutex).into_iter().map(|waits| self.due(waits)).fold(due, u8::max);
        }
        due
    }

    /// Returns `true` if a thread waits for another, directly or along a chain.
    fn waits_for(&self, index: usize, other: usize) -> bool {
        let owner = self.waits[index].as_ref().and_then(|wait| self.owner[wait.mutex]);
        index == other || owner.is_some_and(|owner| self.waits_for(owner, other))
    }

    fn check(&self, step: usize, sequence: &[usize]) {
        for (index, control) in self.threads.iter().enumerate() {
            let priority = kernel(|lock| control.priority(lock));
            let due = self.due(index);
            assert_eq!(priority, due, "thread {index}, step {step} of {sequence:?}");
            let ready = SCHEDULER.is_ready(control);
            let waits = self.waits[index].is_some() || self.sleeps[index];
            assert_eq!(ready, !waits, "thread {index}, step {step} of {sequence:?}");
        }
        for mutex in 0..MUTEXES {
            let first = self.waiting(mutex).into_iter().map(|index| self.due(index)).max();
            let head = kernel(|lock| self.mutex(mutex).waiters.first_priority(lock));
            assert_eq!(head, first.unwrap_or(0), "mutex {mutex}, step {step} of {sequence:?}");
        }
        let most = (0..THREADS)
            .filter(|index| self.waits[*index].is_none() && !self.sleeps[*index])
            .map(|index| self.due(index))
            .max();
        let running = selected();
        let running = kernel(|lock| running.priority(lock));
        assert_eq!(running, most.unwrap_or(0), "step {step} of {sequence:?}");
    }

    fn step(&mut self, operation: usize) {
        let acting = self.index(selected());
        match (operation, acting) {
            (0..MUTEXES, Some(own)) => self.lock(own, operation),
            (4..8, Some(own)) => self.leave(own, operation - 4),
            (8..13, _) => self.give_up(operation - 8),
            (WAKE..18, _) => {
                let index = operation - WAKE;
                if std::mem::take(&mut self.sleeps[index]) {
                    kernel(|lock| SCHEDULER.unpark(self.threads[index], lock));
                }
            }
            (18..38, _) => {
                let (index, priority) = ((operation - 18) % 5, (operation - 18) / 5 * 2 + 1);
                self.base[index] = priority as u8;
                set_base(self.threads[index], priority as u8);
            }
            (_, Some(own)) => {
                self.sleeps[own] = true;
                kernel(|lock| SCHEDULER.note_parked(lock));
                block();
            }
            (_, None) => {}
        }
    }
}

#[test]
fn priorities_are_what_the_model_says_after_each_step() {
    assert_eq!(CEILING & 1, 0);
    random_sequences(SLEEP + 1, under_miri(40, 120), under_miri(4, 3000), |sequence| {
        alone(|| {
            let mut world = World::new();
            for (step, operation) in sequence.iter().enumerate() {
                world.step(*operation);
                world.check(step, sequence);
            }
            // No thread is ready at the beginning of the next test.
            while world.index(selected()).is_some() {
                block();
            }
        });
    });
}

/// Changes a floor that a walk has passed, and the base behind the walk.
#[test]
fn a_walk_along_the_floors_begins_anew_when_one_has_changed() {
    alone(|| {
        let mut world = World::new();
        for _ in 1..THREADS {
            world.step(SLEEP);
        }
        let own = world.index(selected()).expect("the least urgent thread");
        world.lock(own, 0);
        world.lock(own, 1);
        for waits in [3, 4] {
            world.step(WAKE + waits);
            assert_eq!(world.index(selected()), Some(waits));
            world.lock(waits, waits - 3);
        }
        let mut floors = Floors::of(world.threads[own]);
        assert_eq!(kernel(|lock| floors.pass(lock)), None, "there is another one");
        set_base(world.threads[4], 9);
        assert_eq!(floors.effective(|_| ()).0, 9);
        assert!(kernel(|lock| floors.is_current(lock)));
        set_base(world.threads[own], 10);
        assert!(!kernel(|lock| floors.is_current(lock)));
        while world.index(selected()).is_some() {
            block();
        }
    });
}

/// Changes a priority between the grant and the moment at which the thread notices the grant.
#[test]
fn a_waiter_that_was_granted_is_no_longer_moved() {
    alone(|| {
        let threads = [4, 3, 2].map(thread);
        let list = WaitList::<()>::new();
        let waiters = threads.map(|_| Box::pin(Waiter::new(())));
        let places = waiters.each_ref().map(|waiter| Elsewhere::new(&list, waiter));
        for ((control, waiter), elsewhere) in threads.into_iter().zip(&waiters).zip(&places) {
            begin(control);
            let priority = control.waiting_priority();
            kernel(|lock| {
                // SAFETY: boxed, idle, and granted below.
                unsafe {
                    waiter.prepare(WakeTarget::job(park::waker(control)), priority);
                    let linked = list.link(lock, waiter.as_ref(), priority, Searcher::at_hand());
                    assert_eq!(linked, Linked::Done);
                }
                control.note_place_elsewhere(elsewhere);
                control.set_has_place(true, lock);
            });
        }
        let pop = || kernel(|lock| list.pop(lock)).is_some();
        assert!(pop() && pop());
        assert!(waiters[..2].iter().all(|waiter| waiter.is_granted()), "neither has noticed");
        // The waiter's place would be behind the waiter that is left.
        set_base(threads[1], 1);
        assert!(pop() && waiters[2].is_granted());
        assert!(!pop(), "a granted waiter is in the list again");
        for control in threads {
            kernel(|lock| control.set_has_place(false, lock));
            let _selected = selected();
            block();
        }
        assert_eq!(selected().about.name, "idle");
    });
}
