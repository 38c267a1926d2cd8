//! Functions that the expansion of an actor calls besides posts: they start and stop the actor,
//! look at the actor's queue, and deliver published topics.

#![expect(unsafe_code, reason = "a topic is moved out as what it is")]

use ::core::any::TypeId;
use ::core::mem::ManuallyDrop;

use super::definition::{Definition, try_post};
use super::first::First;
use super::queue::Fill;

/// Admits events, if the actor is stopped.
pub fn start<A: Definition<N>, const N: usize>(instance: usize) {
    A::queue(instance).start();
}

/// Admits events, if the actor is stopped. The start begins with the actor's first event.
pub fn start_with<A: Definition<N>, const N: usize>(instance: usize, first: &First) {
    if A::queue(instance).start_and(|lock, head| first.arrive(lock, head)) {
        A::wake(instance);
    }
}

/// Admits no more events, and drops those that wait.
pub fn stop<A: Definition<N>, const N: usize>(instance: usize) {
    A::queue(instance).stop();
}

/// As [`stop`], for an actor that has a first event: the actor doesn't handle it any more.
pub fn stop_with<A: Definition<N>, const N: usize>(instance: usize, first: &First) {
    A::queue(instance).stop_and(|lock, head| {
        first.leave(lock, head);
    });
}

/// Drops the events that wait, and admits others, also if the actor is stopped.
pub fn restart<A: Definition<N>, const N: usize>(instance: usize) {
    A::queue(instance).restart();
}

/// As [`restart`], for an actor that has a first event, with which it begins.
pub fn restart_with<A: Definition<N>, const N: usize>(instance: usize, first: &First) {
    A::queue(instance).restart_and(
        |lock, head| {
            first.leave(lock, head);
        },
        |lock, head| first.arrive(lock, head),
    );
    A::wake(instance);
}

/// Returns how many events wait, how many can wait, and how many ever waited at once.
#[must_use]
pub fn fill<A: Definition<N>, const N: usize>(instance: usize) -> Fill {
    A::queue(instance).fill()
}

/// Posts a published topic, unless the actor is stopped.
///
/// # Panics
/// If the actor's queue is full. The message names the actor.
#[inline(always)]
#[track_caller]
pub fn deliver<A: Definition<N>, const N: usize>(instance: usize, event: A::Event) {
    if let Err(event) = try_post::<A, N>(instance, event) {
        A::queue(instance).refuse_unless_stopped(event, A::NAME);
    }
}

/// Posts a published topic, unless the actor is stopped. Returns `true` if the topic is lost,
/// because the actor's queue is full.
#[inline(always)]
#[must_use]
pub fn try_deliver<A: Definition<N>, const N: usize>(instance: usize, event: A::Event) -> bool {
    try_post::<A, N>(instance, event).is_err() && !A::queue(instance).is_stopped()
}

/// Returns the published value, if it is of the topic `U`. The compiler decides this.
///
/// # Errors
/// If the value is of another topic, the value comes back.
#[inline(always)]
pub fn as_topic<U: 'static, T: 'static>(published: T) -> Result<U, T> {
    if TypeId::of::<T>() != TypeId::of::<U>() {
        return Err(published);
    }
    let published = ManuallyDrop::new(published);
    // SAFETY: it is one type, and moves away.
    Ok(unsafe { (&raw const published).cast::<U>().read() })
}

/// Returns the entry of an instance of the actor `name`, from the entries of all instances.
///
/// # Panics
/// If there is no such instance. The message names the actor.
#[inline(always)]
#[must_use]
#[track_caller]
pub fn instance<T, const COUNT: usize>(
    all: &'static [T; COUNT],
    instance: usize,
    name: &str,
) -> &'static T {
    all.get(instance).unwrap_or_else(|| no_instance(instance, COUNT, name))
}

/// Panics because an instance doesn't exist.
#[cold]
#[inline(never)]
#[track_caller]
fn no_instance(instance: usize, count: usize, name: &str) -> ! {
    panic!(
        "the actor `{name}` has no instance {instance}: it has {count}, which are counted from 0"
    )
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;

    use super::*;
    use crate::actor::Queue;
    use crate::actor::definition::take;
    use crate::actor::first::{begin_first, take_after};

    /// An actor with an instance for each test.
    struct Table;

    static QUEUES: [Queue<u8, 2>; 8] = [const { Queue::new() }; 8];

    impl Definition<2> for Table {
        type Event = u8;
        const NAME: &'static str = "table";

        fn queue(number: usize) -> &'static Queue<u8, 2> {
            instance(&QUEUES, number, Self::NAME)
        }

        fn wake(_instance: usize) {
            WAKES.set(WAKES.get() + 1);
        }
    }

    thread_local! {
        /// How often the test has woken the actor.
        static WAKES: Cell<u32> = const { Cell::new(0) };
    }

    /// Takes what the actor's job takes, where 100 is the first event.
    fn take_with(number: usize, first: &First) -> Option<u8> {
        take_after::<Table, 2>(number, first, || 100)
    }

    #[test]
    fn whoever_has_an_event_to_take_is_woken_and_nobody_else() {
        let wakes = |act: &dyn Fn()| {
            WAKES.set(0);
            act();
            WAKES.get()
        };
        let first = First::new();
        let take = || {
            let _event = take_with(5, &first);
        };
        stop_with::<Table, 2>(5, &first);
        assert_eq!(wakes(&|| start_with::<Table, 2>(5, &first)), 1);
        assert_eq!(wakes(&|| start_with::<Table, 2>(5, &first)), 0, "it was started");
        assert_eq!(wakes(&|| assert_eq!(try_post::<Table, 2>(5, 3), Ok(()))), 1);
        assert_eq!(wakes(&|| assert_eq!(try_post::<Table, 2>(5, 4), Ok(()))), 1);
        assert_eq!(wakes(&|| assert_eq!(try_post::<Table, 2>(5, 5), Err(5))), 0, "it is full");
        assert_eq!([(); 4].map(|()| wakes(&take)), [1, 1, 0, 0], "while more wait");
        assert_eq!(wakes(&|| restart_with::<Table, 2>(5, &first)), 1);
        assert_eq!((wakes(&take), wakes(&take)), (0, 0), "nothing waits behind the first");
        assert_eq!(wakes(&|| deliver::<Table, 2>(5, 6)), 1);
        assert_eq!(wakes(&|| restart::<Table, 2>(5)), 0);
        assert_eq!(wakes(&|| stop::<Table, 2>(5)), 0);
        assert_eq!(wakes(&|| deliver::<Table, 2>(5, 7)), 0);
    }

    #[test]
    fn the_first_event_of_a_start_comes_first_and_once_whatever_is_posted_in_front() {
        let first = First::new();
        begin_first::<Table, 2>(0, &first);
        assert_eq!(post_front(0, 1), Ok(()));
        assert_eq!([(); 3].map(|()| take_with(0, &first)), [Some(100), Some(1), None]);
        stop_with::<Table, 2>(0, &first);
        start_with::<Table, 2>(0, &first);
        start_with::<Table, 2>(0, &first);
        assert_eq!((try_post::<Table, 2>(0, 3), post_front(0, 4)), (Ok(()), Ok(())));
        assert_eq!(fill::<Table, 2>(0).len, 2);
        let taken = [(); 4].map(|()| take_with(0, &first));
        assert_eq!(taken, [Some(100), Some(4), Some(3), None]);
    }

    #[test]
    fn a_stop_comes_before_the_first_event() {
        let first = First::new();
        begin_first::<Table, 2>(7, &first);
        assert_eq!(try_post::<Table, 2>(7, 1), Ok(()));
        stop_with::<Table, 2>(7, &first);
        assert_eq!(take_with(7, &first), None);
        start::<Table, 2>(7);
    }

    /// Posts before the others.
    fn post_front(number: usize, event: u8) -> Result<(), u8> {
        crate::actor::definition::try_post_front::<Table, 2>(number, event)
    }

    #[test]
    fn what_a_stop_left_is_not_seen_behind_a_start() {
        assert_eq!(try_post::<Table, 2>(1, 1), Ok(()));
        stop::<Table, 2>(1);
        assert_eq!(try_post::<Table, 2>(1, 2), Err(2));
        start::<Table, 2>(1);
        assert_eq!(take::<Table, 2>(1), None);
        assert_eq!(try_post::<Table, 2>(1, 3), Ok(()));
    }

    #[test]
    fn a_restart_begins_with_the_first_event_whether_it_was_stopped_or_not() {
        let first = First::new();
        for is_stopped in [false, true] {
            assert_eq!(try_post::<Table, 2>(4, 1), Ok(()));
            if is_stopped {
                stop::<Table, 2>(4);
            }
            restart_with::<Table, 2>(4, &first);
            assert_eq!(try_post::<Table, 2>(4, 3), Ok(()));
            assert_eq!([(); 3].map(|()| take_with(4, &first)), [Some(100), Some(3), None]);
        }
        assert_eq!(try_post::<Table, 2>(4, 1), Ok(()));
        restart::<Table, 2>(4);
        assert_eq!((take::<Table, 2>(4), try_post::<Table, 2>(4, 2)), (None, Ok(())));
    }

    #[test]
    fn a_stopped_actor_gets_nothing_that_is_published() {
        stop::<Table, 2>(2);
        deliver::<Table, 2>(2, 1);
        start::<Table, 2>(2);
        deliver::<Table, 2>(2, 2);
        assert_eq!((take::<Table, 2>(2), take::<Table, 2>(2)), (Some(2), None));
    }

    #[test]
    fn what_is_lost_is_told_but_for_a_stopped_actor() {
        let lost = |event| try_deliver::<Table, 2>(6, event);
        assert_eq!([lost(1), lost(2), lost(3)], [false, false, true]);
        stop::<Table, 2>(6);
        assert!(!lost(4));
        start::<Table, 2>(6);
        assert_eq!((lost(5), take::<Table, 2>(6)), (false, Some(5)));
    }

    #[test]
    fn what_is_published_is_one_topic() {
        struct Eat(u8);
        struct Pause;
        assert!(matches!(as_topic::<Pause, _>(Eat(1)), Err(Eat(1))));
        assert!(matches!(as_topic::<Eat, _>(Eat(2)), Ok(Eat(2))));
        let value = Arc::new(());
        assert!(as_topic::<Pause, _>(Arc::clone(&value)).is_err());
        drop(as_topic::<Arc<()>, _>(Arc::clone(&value)));
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    #[should_panic = "the queue of the actor `table` is full (2 events)"]
    fn what_is_published_to_a_full_queue_is_refused() {
        for event in 0..3 {
            deliver::<Table, 2>(3, event);
        }
    }

    #[test]
    #[should_panic = "the actor `table` has no instance 8: it has 8, which are counted from 0"]
    fn there_are_as_many_instances_as_there_are() {
        start::<Table, 2>(8);
    }
}
