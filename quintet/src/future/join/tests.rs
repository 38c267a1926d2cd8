//! Handles under every interleaving of spawn, cancel, abort, join and polls.

use std::cell::{Cell as Value, RefCell};
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::{Control, Handle, Joinable};
use crate::arch::explore::explore;
use crate::arch::pend;
use crate::core::level::One;
use crate::core::wake::host::{waker, was_woken};
use crate::future::cell::{Cell, align, size};

/// The number of the level's interrupt.
const VECTOR: u16 = 5;

thread_local! {
    static POLLS: Value<u32> = const { Value::new(0) };
    static DROPS: Value<u32> = const { Value::new(0) };
}

/// Ends at its second poll.
struct Twice(Box<u32>);

impl Future for Twice {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        POLLS.set(POLLS.get() + 1);
        *self.0 += 1;
        if *self.0 == 2 { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Twice {
    fn drop(&mut self) {
        DROPS.set(DROPS.get() + 1);
    }
}

fn make() -> Twice {
    Twice(Box::new(0))
}

static CELL: Cell<{ size(make) }, { align(make) }> = Cell::new();
static CONTROL: Control = Control::new();
static SLOTS: One = One::new();

struct Task;

// SAFETY: these are the task's.
unsafe impl Joinable for Task {
    fn control() -> &'static Control {
        &CONTROL
    }

    fn wake() {
        SLOTS.set();
        pend(VECTOR);
    }
}

fn spawn() -> Option<Handle<Task>> {
    if !CELL.claim() {
        return None;
    }
    // SAFETY: claimed, and not filled.
    let instance = unsafe { CONTROL.begin() };
    // SAFETY: claimed; all of it is the task's.
    unsafe { CELL.fill(make, make) };
    Task::wake();
    Some(Handle::new(instance))
}

fn round() {
    if SLOTS.take() {
        // SAFETY: from the level only, which the scenarios don't nest.
        unsafe { CONTROL.poll(&CELL, make, &waker(2, 0)) };
    }
}

/// Counts from here on.
fn begin_counting() {
    POLLS.set(0);
    DROPS.set(0);
}

/// One test after the other: they share one task.
fn alone() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[test]
fn cancelled_instances_are_never_polled_and_dropped_once() {
    let _alone = alone();
    let outcomes = RefCell::new([0, 0]);
    explore(|scenario| {
        begin_counting();
        let handle = Rc::new(RefCell::new(spawn()));
        assert!(handle.borrow().is_some(), "free");
        let cancelled = Rc::new(Value::new(None));
        scenario.level(VECTOR, 2, round);
        let (theirs, outcome) = (Rc::clone(&handle), Rc::clone(&cancelled));
        scenario.interrupt(3, move || {
            let handle: Option<Handle<Task>> = theirs.borrow_mut().take();
            outcome.set(handle.map(|handle| handle.cancel()));
        });
        scenario.interrupt(1, Task::wake);
        scenario.run(Task::wake);
        // Its second poll, if it is alive.
        Task::wake();
        round();
        assert_eq!(DROPS.get(), 1);
        match cancelled.get() {
            Some(true) => assert_eq!(POLLS.get(), 0),
            _ => assert_eq!(POLLS.get(), 2),
        }
        outcomes.borrow_mut()[usize::from(cancelled.get() == Some(true))] += 1;
        let again = spawn().expect("free again");
        again.abort();
        round();
        assert!(again.has_ended());
    });
    let outcomes = outcomes.take();
    assert!(cfg!(miri) || outcomes.iter().all(|count| *count > 0), "{outcomes:?}");
}

#[test]
fn aborted_instances_end_once_and_who_joins_is_woken() {
    let _alone = alone();
    let mut polls_seen = [0_u32; 3];
    let seen = RefCell::new(&mut polls_seen);
    explore(|scenario| {
        begin_counting();
        let _ = was_woken(1, 13);
        let handle = Rc::new(RefCell::new(spawn()));
        assert!(handle.borrow().is_some(), "free");
        scenario.level(VECTOR, 2, round);
        let theirs = Rc::clone(&handle);
        scenario.interrupt(3, move || {
            if let Ok(handle) = theirs.try_borrow()
                && let Some(handle) = handle.as_ref()
            {
                handle.abort();
            }
        });
        let joiner = waker(1, 13);
        let ended = Rc::new(Value::new(false));
        let (theirs, told) = (Rc::clone(&handle), Rc::clone(&ended));
        scenario.run(|| {
            // The interrupt has the handle; this one is of the same instance.
            let instance = theirs.borrow().as_ref().map(|handle| handle.instance);
            let mut same = Handle::<Task>::new(instance.unwrap_or_default());
            let mut join = pin!(same.join());
            let mut context = Context::from_waker(&joiner);
            told.set(join.as_mut().poll(&mut context).is_ready());
            Task::wake();
            if !told.get() && was_woken(1, 13) {
                told.set(join.as_mut().poll(&mut context).is_ready());
            }
            Task::wake();
        });
        Task::wake();
        round();
        Task::wake();
        round();
        assert_eq!(DROPS.get(), 1);
        assert!(ended.get() || was_woken(1, 13), "nobody told who joins");
        assert!(handle.borrow().as_ref().is_some_and(Handle::has_ended));
        seen.borrow_mut()[POLLS.get() as usize] += 1;
    });
    assert!(cfg!(miri) || polls_seen.iter().all(|count| *count > 0), "{polls_seen:?}");
}

#[test]
fn a_handle_of_an_earlier_instance_does_nothing() {
    let _alone = alone();
    begin_counting();
    let first = spawn().expect("free");
    for _ in 0..2 {
        Task::wake();
        round();
    }
    assert!(first.has_ended());
    let second = spawn().expect("free");
    assert!(!first.cancel());
    first.abort();
    round();
    assert!(!second.has_ended());
    assert_eq!(POLLS.get(), 3);
    second.abort();
    round();
    assert!(second.has_ended());
    assert_eq!((POLLS.get(), DROPS.get()), (3, 2));
}

/// The end of the first instance is noted in its control word, and not yet told, when a more urgent
/// task spawns and joins the second.
#[test]
fn who_joins_a_later_instance_wakes_who_joined_the_earlier_one() {
    let control = Control::new();
    let (earlier, later) = (waker(1, 20), waker(1, 21));
    let poll = |instance, waker| control.poll_ended(instance, &Context::from_waker(waker));
    // SAFETY: the control word has no cell.
    let first = unsafe { control.begin() };
    assert!(poll(first, &earlier).is_pending());
    assert!(poll(first, &earlier).is_pending());
    assert!(!was_woken(1, 20), "the same one waits on");
    // SAFETY: the control word has no cell.
    let second = unsafe { control.begin() };
    assert!(poll(second, &later).is_pending());
    assert!(was_woken(1, 20) && !was_woken(1, 21));
    assert!(poll(first, &earlier).is_ready());
    control.end(second);
    assert!(was_woken(1, 21) && !was_woken(1, 20));
}
