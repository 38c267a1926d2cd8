//! A search that pauses, while the list changes.

use std::boxed::Box;
use std::pin::Pin;
use std::ptr::NonNull;
use std::vec::Vec;

use crate::core::list::{Linked, Searcher, WaitList, Waiter};
use crate::core::lock::kernel;
use crate::core::wait::adopt;
use crate::core::wake::host::waker;

/// A list, and waiters of the priorities 3, 1, 1 and 2.
struct World {
    list: WaitList<()>,
    waiters: Vec<Pin<Box<Waiter<()>>>>,
}

const PRIORITIES: [u8; 4] = [3, 1, 1, 2];
const URGENT: usize = 0;
const FIRST: usize = 1;
const SECOND: usize = 2;
const SEEKER: usize = 3;

impl World {
    /// Links the first three waiters. The search of the last has passed the others of priority 1.
    fn new() -> Self {
        let waiters = PRIORITIES.iter().map(|_| Box::pin(Waiter::new(()))).collect();
        let world = Self { list: WaitList::new(), waiters };
        for index in [URGENT, FIRST, SECOND] {
            world.prepare(index);
            assert_eq!(world.step(index), Linked::Done);
        }
        world.prepare(SEEKER);
        // Tests run side by side, and a search in another list lets this search begin anew.
        let passed = Some(NonNull::from(&*world.waiters[FIRST]));
        while world.waiters[SEEKER].next.get() != passed {
            assert_eq!(world.step(SEEKER), Linked::Again);
        }
        world
    }

    fn prepare(&self, index: usize) {
        let waker = waker(usize::from(PRIORITIES[index]), index as u32);
        let (target, priority) = adopt(&waker);
        // SAFETY: the waiter is idle. Wakers of levels own nothing.
        unsafe { self.waiters[index].prepare(target, priority) };
    }

    /// Runs one section of linking.
    fn step(&self, index: usize) -> Linked {
        let (waiter, priority) = (self.waiters[index].as_ref(), PRIORITIES[index]);
        let searcher = Searcher::at_hand();
        // SAFETY: prepared with this priority; the list is emptied before the waiters are dropped.
        kernel(|lock| unsafe { self.list.link(lock, waiter, priority, searcher) })
    }

    /// Takes the first waiter out. Returns the waiter's number.
    fn pop(&self) -> Option<usize> {
        let head = self.list.head.get()?;
        let _target = kernel(|lock| self.list.pop(lock));
        self.waiters.iter().position(|waiter| NonNull::from(&**waiter) == head)
    }

    /// Lets the search end, and takes all waiters out.
    fn order(&self) -> Vec<usize> {
        while self.step(SEEKER) == Linked::Again {}
        let order = std::iter::from_fn(|| self.pop()).take(PRIORITIES.len() + 1).collect();
        assert!(self.list.head.get().is_none(), "the list is a ring");
        order
    }
}

#[test]
fn a_search_goes_on_where_it_paused() {
    assert_eq!(World::new().order(), [URGENT, SEEKER, FIRST, SECOND]);
}

#[test]
fn a_search_whose_place_was_left_begins_anew() {
    let world = World::new();
    // SAFETY: the waiter is linked in this list.
    let _target = kernel(|lock| unsafe { world.list.unlink(lock, &world.waiters[FIRST]) });
    assert_eq!(world.order(), [URGENT, SEEKER, SECOND]);
}

#[test]
fn a_search_whose_list_has_another_head_begins_anew() {
    let world = World::new();
    assert_eq!(world.pop(), Some(URGENT));
    assert_eq!(world.order(), [SEEKER, FIRST, SECOND]);
}

#[test]
fn a_search_notices_that_its_head_is_there_again_alone() {
    let world = World::new();
    assert_eq!([(); 3].map(|()| world.pop()), [Some(URGENT), Some(FIRST), Some(SECOND)]);
    world.prepare(URGENT);
    assert_eq!(world.step(URGENT), Linked::Done);
    assert_eq!(world.order(), [URGENT, SEEKER]);
}

#[test]
fn a_search_notices_that_its_head_is_there_again_with_others() {
    let world = World::new();
    assert_eq!([(); 3].map(|()| world.pop()), [Some(URGENT), Some(FIRST), Some(SECOND)]);
    for index in [URGENT, SECOND] {
        world.prepare(index);
        assert_eq!(world.step(index), Linked::Done);
    }
    assert_eq!(world.order(), [URGENT, SEEKER, SECOND]);
}

#[test]
fn a_search_of_an_earlier_time_does_not_go_on() {
    let world = World::new();
    // The waiter was granted its demand before it was linked, and waits once more.
    world.prepare(SEEKER);
    assert_eq!(world.order(), [URGENT, SEEKER, FIRST, SECOND]);
}

#[test]
fn a_search_ends_alone_if_all_others_have_gone() {
    let world = World::new();
    assert_eq!([(); 3].map(|()| world.pop()), [Some(URGENT), Some(FIRST), Some(SECOND)]);
    assert_eq!(world.order(), [SEEKER]);
}
