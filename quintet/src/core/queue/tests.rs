//! Queues under every interleaving of spawns with the level that takes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::{AtomicU32, Queue};
use crate::arch::explore::{Scenario, explore};
use crate::arch::pend;

/// The events of a run: each value with the times at which its spawn began and ended.
#[derive(Default)]
struct Record {
    time: Cell<u32>,
    accepted: RefCell<Vec<(u8, u32, u32)>>,
    taken: RefCell<Vec<u8>>,
}

impl Record {
    fn now(&self) -> u32 {
        self.time.replace(self.time.get() + 1)
    }

    /// Checks that every accepted value was taken once. If one spawn had ended when another began,
    /// its value was taken first, or had been taken already.
    fn check(&self) {
        let accepted = self.accepted.borrow();
        let taken = self.taken.borrow();
        assert_eq!(accepted.len(), taken.len());
        let place = |value: u8| {
            taken.iter().position(|taken| *taken == value).expect("accepted values are taken")
        };
        for (first, _, ended) in accepted.iter() {
            for (second, began, _) in accepted.iter() {
                assert!(ended >= began || place(*first) < place(*second), "{taken:?}");
            }
        }
    }
}

/// Spawns from below the level, from a context of the same priority, and from above.
fn spawn_everywhere<const SLOTS: usize>(
    scenario: &Scenario,
    queue: &Rc<Queue<Box<u8>, SLOTS>>,
) -> Rc<Record> {
    let record = Rc::new(Record::default());
    let spawn = {
        let (record, queue) = (Rc::clone(&record), Rc::clone(queue));
        move |value: u8| {
            let began = record.now();
            // SAFETY: the type is `Send`.
            match unsafe { queue.put(Box::new(value)) } {
                Ok(()) => {
                    record.accepted.borrow_mut().push((value, began, record.now()));
                    pend(1);
                }
                Err(back) => assert_eq!(*back, value),
            }
        }
    };
    let (seen, queue) = (Rc::clone(&record), Rc::clone(queue));
    scenario.level(1, 2, move || {
        // SAFETY: the level is the only one that takes, and doesn't nest.
        while let Some((value, bit)) = unsafe { queue.take() } {
            // SAFETY: from `take`, and freed once.
            unsafe { queue.free(bit) };
            seen.taken.borrow_mut().push(*value);
        }
    });
    for (priority, value) in [(3, 30), (4, 40)] {
        let spawn = spawn.clone();
        scenario.interrupt(priority, move || spawn(value));
    }
    scenario.run(|| {
        spawn(0);
        spawn(1);
    });
    record
}

#[test]
fn everything_that_is_put_is_taken_once_and_in_order() {
    let runs = explore(|scenario| {
        let queue = Rc::new(Queue::<_, 3>::new());
        spawn_everywhere(scenario, &queue).check();
        assert!(queue.is_empty());
    });
    assert!(cfg!(miri) || runs > 500, "{runs}");
}

#[test]
fn a_queue_of_one_works_too() {
    explore(|scenario| {
        let queue = Rc::new(Queue::<_, 1>::new());
        spawn_everywhere(scenario, &queue).check();
        assert!(queue.is_empty());
    });
}

#[test]
fn a_full_queue_hands_arguments_back_until_a_slot_is_freed() {
    let queue = Queue::<u8, 32>::new();
    for value in 0..32 {
        // SAFETY: the type is `Send`.
        assert_eq!(unsafe { queue.put(value) }, Ok(()));
    }
    // SAFETY: the type is `Send`.
    assert_eq!(unsafe { queue.put(32) }, Err(32));
    // SAFETY: no other context takes.
    let (value, bit) = unsafe { queue.take() }.expect("there are 32");
    assert_eq!(value, 0);
    // SAFETY: the type is `Send`.
    assert_eq!(unsafe { queue.put(33) }, Err(33), "it is taken, but not freed");
    // SAFETY: from `take`, and freed once.
    unsafe { queue.free(bit) };
    // SAFETY: the type is `Send`.
    assert_eq!(unsafe { queue.put(34) }, Ok(()));
    for expected in (1..32).chain([34]) {
        // SAFETY: no other context takes.
        assert_eq!(unsafe { queue.take() }.map(|(value, _)| value), Some(expected));
    }
    // SAFETY: no other context takes.
    assert!(unsafe { queue.take() }.is_none());
}

#[test]
fn tickets_wrap() {
    let mut queue = Queue::<u8, 4>::new();
    queue.next = AtomicU32::new(u32::MAX - 1);
    for value in 0..4 {
        // SAFETY: the type is `Send`.
        assert_eq!(unsafe { queue.put(value) }, Ok(()));
    }
    for expected in 0..4 {
        // SAFETY: no other context takes.
        assert_eq!(unsafe { queue.take() }.map(|(value, _)| value), Some(expected));
    }
}
