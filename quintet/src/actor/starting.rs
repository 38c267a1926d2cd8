//! Functions that the expansion of an actor calls besides posts: they start and stop the actor,
//! look at the actor's queue, and deliver published topics.

#![expect(unsafe_code, reason = "a topic is moved out as what it is")]

use ::core::any::TypeId;
use ::core::mem::ManuallyDrop;

use super::definition::{Definition, try_post};
use super::queue::Fill;

/// Admits events, if the actor is stopped.
pub fn start<A: Definition<N>, const N: usize>(instance: usize) {
    A::queue(instance).start();
}

/// Admits events, if the actor is stopped, with `event` as the first of them.
pub fn start_with<A: Definition<N>, const N: usize>(instance: usize, event: A::Event) {
    if A::queue(instance).start_with(event) {
        A::wake(instance);
    }
}

/// Admits no more events, and drops those that wait.
pub fn stop<A: Definition<N>, const N: usize>(instance: usize) {
    A::queue(instance).stop();
}

/// Drops the events that wait, and admits others, also if the actor is stopped.
pub fn restart<A: Definition<N>, const N: usize>(instance: usize) {
    A::queue(instance).restart(None);
}

/// Drops the events that wait, and admits others, also if the actor is stopped, with `event` as the
/// first of them.
pub fn restart_with<A: Definition<N>, const N: usize>(instance: usize, event: A::Event) {
    A::queue(instance).restart(Some(event));
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

    /// An actor with an instance for each test.
    struct Table;

    static QUEUES: [Queue<u8, 2>; 7] = [const { Queue::new() }; 7];

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

    #[test]
    fn whoever_has_an_event_to_take_is_woken_and_nobody_else() {
        let wakes = |act: &dyn Fn()| {
            WAKES.set(0);
            act();
            WAKES.get()
        };
        let take = || {
            let _event = take::<Table, 2>(5);
        };
        stop::<Table, 2>(5);
        assert_eq!(wakes(&|| start_with::<Table, 2>(5, 1)), 1);
        assert_eq!(wakes(&|| start_with::<Table, 2>(5, 2)), 0, "it was started");
        assert_eq!(wakes(&|| assert_eq!(try_post::<Table, 2>(5, 3), Ok(()))), 1);
        assert_eq!(wakes(&|| assert_eq!(try_post::<Table, 2>(5, 4), Err(4))), 0, "it is full");
        assert_eq!((wakes(&take), wakes(&take), wakes(&take)), (1, 0, 0), "while more wait");
        assert_eq!(wakes(&|| restart_with::<Table, 2>(5, 5)), 1);
        assert_eq!(wakes(&|| deliver::<Table, 2>(5, 6)), 1);
        assert_eq!(wakes(&|| restart::<Table, 2>(5)), 0);
        assert_eq!(wakes(&|| stop::<Table, 2>(5)), 0);
        assert_eq!(wakes(&|| deliver::<Table, 2>(5, 7)), 0);
    }

    #[test]
    fn the_first_event_of_a_start_comes_first_and_once() {
        stop::<Table, 2>(0);
        start_with::<Table, 2>(0, 1);
        start_with::<Table, 2>(0, 2);
        assert_eq!(try_post::<Table, 2>(0, 3), Ok(()));
        assert_eq!(fill::<Table, 2>(0).len, 2);
        assert_eq!([(); 3].map(|()| take::<Table, 2>(0)), [Some(1), Some(3), None]);
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
        for is_stopped in [false, true] {
            assert_eq!(try_post::<Table, 2>(4, 1), Ok(()));
            if is_stopped {
                stop::<Table, 2>(4);
            }
            restart_with::<Table, 2>(4, 2);
            assert_eq!(try_post::<Table, 2>(4, 3), Ok(()));
            assert_eq!([(); 3].map(|()| take::<Table, 2>(4)), [Some(2), Some(3), None]);
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
    #[should_panic = "the actor `table` has no instance 7: it has 7, which are counted from 0"]
    fn there_are_as_many_instances_as_there_are() {
        start::<Table, 2>(7);
    }
}
