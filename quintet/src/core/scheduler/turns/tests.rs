//! Turns: when a slice is timed, and whose turn comes when it is over.

use std::cell::Cell;

use super::Turn;
use crate::arch::switch::was_pended;
use crate::core::lock::kernel;
use crate::core::scheduler::tests::{alone, begin, block, selected, thread};
use crate::core::scheduler::{SCHEDULER, bit_of, note_of, wake_all_and_time};

thread_local! {
    /// How often slices were to be timed.
    static TIMED: Cell<usize> = const { Cell::new(0) };
}

/// Whether slices were to be timed since the last call, in the switch that was pended.
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
fn a_turn_ends_neither_under_a_ceiling_nor_behind_somebody_else() {
    with_turns(|| {
        let (first, second, high) = (thread(2), thread(2), thread(3));
        begin(first);
        assert!(std::ptr::eq(selected(), first));
        begin(second);
        assert!(timed());
        let before = SCHEDULER.raise_limit(note_of(2));
        assert_eq!(end_slice(), Turn::Held);
        assert!(!was_pended() && std::ptr::eq(selected(), first));
        SCHEDULER.restore_limit(before);
        let _ = was_pended();
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
