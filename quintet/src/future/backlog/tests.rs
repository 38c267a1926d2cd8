//! Tasks of a capacity above 1 under every interleaving of spawns, wakes and polls.

use std::cell::{Cell as Value, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::Backlog;
use crate::arch::explore::explore;
use crate::arch::pend;
use crate::core::level::One;
use crate::core::wake::host::waker;
use crate::future::cell::{Cell, align, size};

/// The number of the level's interrupt.
const VECTOR: u16 = 6;

thread_local! {
    /// Each poll and each drop of an instance, by its number.
    static LOG: RefCell<Vec<(&'static str, u8)>> = const { RefCell::new(Vec::new()) };
}

/// Ends at its second poll.
struct Twice {
    number: Box<u8>,
    polled: bool,
}

impl Future for Twice {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        LOG.with_borrow_mut(|log| log.push(("poll", *self.number)));
        if std::mem::replace(&mut self.polled, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Twice {
    fn drop(&mut self) {
        LOG.with_borrow_mut(|log| log.push(("drop", *self.number)));
    }
}

fn make(number: Box<u8>) -> Twice {
    Twice { number, polled: false }
}

/// The task of a scenario. Statics, as cells are; each run leaves it as it was.
static CELL: Cell<{ size(make) }, { align(make) }> = Cell::new();
static BACKLOG: Backlog<(Box<u8>,), 2> = Backlog::new();
static SLOTS: One = One::new();

fn wake() {
    SLOTS.set();
    pend(VECTOR);
}

fn round() {
    if SLOTS.take() {
        // SAFETY: from the level only, which the scenario doesn't nest.
        let more = unsafe { BACKLOG.poll(&CELL, make, &waker(2, 0), |(number,)| make(number)) };
        if more {
            wake();
        }
    }
}

#[test]
fn instances_run_one_after_the_other_and_each_to_its_end() {
    let refused = Value::new(0);
    let runs = explore(|scenario| {
        LOG.with_borrow_mut(Vec::clear);
        let accepted = Rc::new(RefCell::new(Vec::new()));
        let spawn = {
            let accepted = Rc::clone(&accepted);
            // SAFETY: the type is `Send`.
            move |number: u8| match unsafe { BACKLOG.put((Box::new(number),)) } {
                Ok(()) => {
                    accepted.borrow_mut().push(number);
                    wake();
                }
                Err((back,)) => assert_eq!(*back, number),
            }
        };
        scenario.level(VECTOR, 2, round);
        let urgent = spawn.clone();
        scenario.interrupt(3, move || urgent(30));
        scenario.interrupt(1, wake);
        scenario.run(|| {
            spawn(0);
            spawn(1);
        });
        // Whatever is left.
        for _ in 0..8 {
            wake();
            round();
        }
        let accepted = accepted.take();
        refused.set(refused.get() + 3 - accepted.len());
        let log = LOG.take();
        // Poll, poll, drop, of one instance after the other.
        assert_eq!(log.len(), 3 * accepted.len(), "{log:?}");
        for instance in log.chunks(3) {
            let number = instance[0].1;
            assert_eq!(instance, [("poll", number), ("poll", number), ("drop", number)]);
            assert!(accepted.contains(&number));
        }
        let position = |number| log.iter().position(|entry| entry.1 == number);
        assert!(accepted.len() < 3 || position(0) < position(1), "{log:?}");
    });
    assert!(cfg!(miri) || runs > 100, "{runs}");
    assert!(cfg!(miri) || refused.get() > 0, "the task was never at its capacity");
}
