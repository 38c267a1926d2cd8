//! Turns: when a slice is timed, and which thread's turn comes at its end.

use std::cell::Cell;

use super::Turn;
use crate::arch::switch::was_pended;
use crate::core::lock::kernel;
use crate::core::scheduler::tests::{
    alone, begin, block, change_priority, resume, selected, thread,
};
use crate::core::scheduler::{
    SCHEDULER, ThreadBlock, bit_of, encode_ceiling, limit_of, wake_all_and_time,
};

thread_local! {
    /// The number of requests to time slices.
    static TIMED: Cell<usize> = const { Cell::new(0) };
}

/// Returns `true` if slices had to be timed since the last call, in the pended switch.
fn timed() -> bool {
    if was_pended() {
        wake_all_and_time();
    }
    TIMED.replace(0) > 0
}

fn end_slice() -> Turn {
    kernel(|lock| SCHEDULER.end_slice(bit_of(2), lock))
}

/// Lets priority 2 take turns while `test` runs.
fn with_turns(test: impl FnOnce()) {
    alone(|| {
        let count = || TIMED.set(TIMED.get() + 1);
        kernel(|lock| SCHEDULER.take_turns(bit_of(2), count, lock));
        assert!(timed(), "some might be ready already");
        assert!(!kernel(|lock| SCHEDULER.keeps_turning(bit_of(2), lock)), "but nobody is");
        test();
        kernel(|lock| SCHEDULER.take_turns(0, count, lock));
        let _ = timed();
    });
}

#[test]
fn a_slice_is_timed_when_a_second_thread_becomes_ready() {
    with_turns(|| {
        let (first, second, third, low) = (thread(2), thread(2), thread(2), thread(1));
        begin(first);
        assert!(std::ptr::eq(selected(), first) && !timed(), "it is alone");
        begin(low);
        begin(thread(1));
        assert!(!timed(), "priority 1 has no slices");
        begin(second);
        assert!(timed() && kernel(|lock| SCHEDULER.keeps_turning(bit_of(2), lock)));
        begin(third);
        assert!(!timed(), "it is timed already");
        for expected in [second, third, first] {
            assert_eq!(end_slice(), Turn::Next);
            assert!(was_pended());
            assert!(std::ptr::eq(selected(), expected));
        }
        block();
        block();
        assert_eq!(end_slice(), Turn::Alone);
        assert!(!was_pended() && std::ptr::eq(selected(), third), "it runs on");
        assert_eq!(end_slice(), Turn::Alone);
        begin(first);
        assert!(timed(), "once more");
        for _ in 0..4 {
            block();
        }
    });
}

#[test]
fn a_turn_does_not_end_behind_somebody_else() {
    with_turns(|| {
        let (first, second, high) = (thread(2), thread(2), thread(3));
        begin(first);
        assert!(std::ptr::eq(selected(), first));
        begin(second);
        assert!(timed());
        begin(high);
        assert!(was_pended() && std::ptr::eq(selected(), high));
        assert_eq!(end_slice(), Turn::Preempted);
        assert!(!was_pended());
        block();
        assert!(std::ptr::eq(selected(), first), "its turn goes on");
        assert_eq!(end_slice(), Turn::Next);
        assert!(std::ptr::eq(selected(), second));
        block();
        block();
    });
}

/// Lets a more urgent thread run at each of `ends` ends of slices. Returns for each whether the
/// first thread runs after it.
fn who_runs_behind(ends: usize) -> Vec<bool> {
    let (first, second, high) = (thread(2), thread(2), thread(3));
    let mut runs = Vec::new();
    with_turns(|| {
        begin(first);
        assert!(std::ptr::eq(selected(), first));
        begin(second);
        assert!(timed());
        for _ in 0..16 {
            begin(high);
            assert!(was_pended() && std::ptr::eq(selected(), high));
            for _ in 0..ends {
                assert_eq!(end_slice(), Turn::Preempted);
                assert!(!was_pended());
            }
            block();
            runs.push(std::ptr::eq(selected(), first));
        }
        block();
        block();
    });
    runs
}

#[test]
fn nobody_starves_in_step_with_a_more_urgent_thread() {
    for ends in 1..10 {
        let runs = who_runs_behind(ends);
        assert!(runs.contains(&true) && runs.contains(&false), "{ends}: {runs:?}");
    }
}

#[test]
fn who_was_preempted_under_a_ceiling_stays_the_first_of_its_ring() {
    with_turns(|| {
        let (first, second, high) = (thread(2), thread(2), thread(3));
        begin(first);
        assert!(std::ptr::eq(selected(), first));
        begin(second);
        assert!(timed());
        let none = SCHEDULER.raise_limit(encode_ceiling(2));
        begin(high);
        assert!(was_pended() && std::ptr::eq(preempting(), high));
        for _ in 0..16 {
            assert_eq!(end_slice(), Turn::Preempted);
            // The thread holds something that the other thread may want.
            let next = SCHEDULER.first_of_several(bit_of(2));
            assert!(std::ptr::eq(next.expect("there are two"), first));
        }
        block();
        assert!(std::ptr::eq(selected(), first));
        let _ = leave(none);
        block();
        block();
    });
}

#[test]
fn a_turn_that_is_over_ends_as_a_mutex_lends_nothing_any_more() {
    with_turns(|| {
        let (first, second, third, high) = (thread(2), thread(2), thread(2), thread(4));
        let lend = |priority| change_priority(first, priority);
        let ends = || kernel(|lock| SCHEDULER.end_turn_above(bit_of(2), lock));
        begin(first);
        assert!(std::ptr::eq(selected(), first));
        begin(second);
        assert!(timed());
        // Nothing happens if the thread is back before that.
        lend(3);
        lend(2);
        assert!(!timed() && !ends() && std::ptr::eq(selected(), first));
        // One other thread, and then two.
        for (more, turn) in [(None, Turn::Alone), (Some(third), Turn::Preempted)] {
            lend(3);
            more.into_iter().for_each(begin);
            assert_eq!(end_slice(), turn);
            assert!(std::ptr::eq(selected(), first) && !ends());
            lend(2);
            assert!(timed() && std::ptr::eq(selected(), first), "the switch looks");
            assert!(ends() && was_pended());
            assert!(std::ptr::eq(selected(), second), "they are behind it");
            assert!(!ends(), "once");
            // The thread's turn comes again.
            while !std::ptr::eq(selected(), first) {
                assert_eq!(end_slice(), Turn::Next);
            }
        }
        // The turn doesn't end either once it has begun anew.
        lend(3);
        assert_eq!(end_slice(), Turn::Preempted);
        begin(high);
        assert!(std::ptr::eq(selected(), high));
        lend(2);
        assert!(!ends(), "it doesn't run");
        block();
        assert!(std::ptr::eq(selected(), second), "it went behind them");
        assert_eq!(end_slice(), Turn::Next);
        assert!(std::ptr::eq(selected(), third));
        assert_eq!(end_slice(), Turn::Next);
        assert!(std::ptr::eq(selected(), first) && !ends());
        for _ in 0..3 {
            block();
        }
    });
}

/// Does the work of PendSV while the running thread is under a ceiling. Returns the running thread.
fn preempting() -> &'static ThreadBlock {
    kernel(|lock| assert!(SCHEDULER.promote(lock).is_some()));
    selected()
}

/// Leaves a ceiling. Returns whether this has pended the switch, and whether slices had to be timed
/// in the switch.
fn leave(before: u8) -> (bool, bool) {
    SCHEDULER.restore_limit(before);
    let switches = was_pended();
    wake_all_and_time();
    (switches, TIMED.replace(0) > 0)
}

#[test]
fn a_turn_that_is_over_ends_with_the_last_ceiling() {
    with_turns(|| {
        let (first, second) = (thread(2), thread(2));
        begin(first);
        assert!(std::ptr::eq(selected(), first));
        begin(second);
        assert!(timed());
        let none = SCHEDULER.raise_limit(encode_ceiling(2));
        let two = SCHEDULER.raise_limit(encode_ceiling(5));
        for _ in 0..2 {
            assert_eq!(end_slice(), Turn::Held);
            assert!(!was_pended() && std::ptr::eq(selected(), first));
        }
        assert_eq!(leave(two), (false, false), "it is under another one");
        assert!(std::ptr::eq(selected(), first));
        assert_eq!(leave(none), (true, true));
        assert!(std::ptr::eq(selected(), second));
        // Nothing is left of the turn.
        let none = SCHEDULER.raise_limit(encode_ceiling(2));
        assert_eq!(leave(none), (false, false));
        assert_eq!(end_slice(), Turn::Next);
        assert!(was_pended() && std::ptr::eq(selected(), first));
        let none = SCHEDULER.raise_limit(encode_ceiling(2));
        assert_eq!(leave(none), (false, false));
        block();
        block();
    });
}

#[test]
fn so_it_does_when_a_more_urgent_thread_came_meanwhile() {
    with_turns(|| {
        let (first, second, high) = (thread(2), thread(2), thread(4));
        begin(first);
        assert!(std::ptr::eq(selected(), first));
        begin(second);
        assert!(timed());
        let none = SCHEDULER.raise_limit(encode_ceiling(3));
        begin(high);
        assert!(was_pended() && std::ptr::eq(preempting(), high));
        block();
        assert!(std::ptr::eq(selected(), first), "the ring of its ceiling is before the other");
        assert_eq!(end_slice(), Turn::Held, "although the other is alone in theirs");
        assert_eq!(leave(none), (true, true));
        assert!(std::ptr::eq(selected(), second));
        block();
        block();
    });
}

#[test]
fn with_another_priority_nobody_else_loses_a_turn() {
    with_turns(|| {
        let threads = [thread(2), thread(2), thread(2)];
        threads.iter().for_each(|thread| begin(thread));
        assert!(timed() && std::ptr::eq(selected(), threads[0]));
        let none = SCHEDULER.raise_limit(encode_ceiling(2));
        assert_eq!(end_slice(), Turn::Held);
        let change = |priority| {
            threads[0].base.set(priority);
            change_priority(threads[0], priority);
            timed()
        };
        assert!(change(4), "the two that are left may run before the section ends");
        assert_eq!(end_slice(), Turn::Preempted);
        assert!(leave(none).1, "nothing of it is left behind the section");
        assert!(std::ptr::eq(selected(), threads[0]), "priority 4 has no slices");
        assert!(!change(2), "no turn is noted");
        for _ in 0..3 {
            block();
        }
    });
}

#[test]
fn who_is_suspended_right_behind_a_ceiling_has_lost_its_place_and_no_turn() {
    with_turns(|| {
        let threads = [thread(2), thread(2), thread(2)];
        threads.iter().for_each(|thread| begin(thread));
        let first = threads[0];
        assert!(timed() && std::ptr::eq(selected(), first));
        let none = SCHEDULER.raise_limit(encode_ceiling(2));
        assert_eq!(end_slice(), Turn::Held);
        // An interrupt comes when the limit is the thread's own again.
        first.ceiling.set(0);
        first.limit.set(limit_of(bit_of(2)));
        assert!(kernel(|lock| SCHEDULER.suspend(first, lock)));
        assert!(timed(), "those that are left take turns");
        assert!(std::ptr::eq(selected(), threads[1]));
        resume(first);
        let _ = timed();
        block();
        block();
        assert!(std::ptr::eq(selected(), first));
        begin(threads[1]);
        assert!(!leave(none).0 && std::ptr::eq(selected(), first), "its turn has just begun");
        block();
        block();
    });
}

#[test]
fn who_is_in_a_ring_by_a_ceiling_alone_stays_the_first_of_it() {
    with_turns(|| {
        let (low, user, high) = (thread(1), thread(2), thread(3));
        begin(low);
        assert!(std::ptr::eq(selected(), low));
        let none = SCHEDULER.raise_limit(encode_ceiling(2));
        begin(high);
        assert!(std::ptr::eq(preempting(), high));
        begin(user);
        assert!(timed());
        block();
        assert!(std::ptr::eq(selected(), low), "in its section");
        assert_eq!(end_slice(), Turn::Preempted);
        begin(high);
        assert!(std::ptr::eq(preempting(), high));
        block();
        assert!(std::ptr::eq(selected(), low), "still in its section");
        assert!(leave(none).0);
        assert!(std::ptr::eq(selected(), user));
        block();
        block();
    });
}
