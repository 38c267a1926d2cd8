//! The scheduler's decisions, on the host: the thread that would run.

#![expect(unsafe_code, reason = "control blocks are made for statics")]

use std::sync::Mutex;

use super::{
    Blocking, Change, SCHEDULER, ThreadBlock, ThreadInfo, bit_of, encode_ceiling, limit_of,
};
use crate::arch::switch::was_pended;
use crate::core::lock::kernel;
use crate::core::ownership::set_base;

/// Serialises tests: there is one scheduler in a test process.
static TURN: Mutex<()> = Mutex::new(());

static ABOUT: ThreadInfo = ThreadInfo {
    name: "test",
    stack: ::core::ptr::null_mut(),
    stack_size: 0,
    resources: &[],
    entry: None,
};

/// Makes a thread that has not begun.
pub fn thread(priority: u8) -> &'static ThreadBlock {
    /// Threads live for ever; this list tells leak detectors so.
    static KEPT: Mutex<Vec<&ThreadBlock>> = Mutex::new(Vec::new());
    let place = Box::leak(Box::new(std::mem::MaybeUninit::<ThreadBlock>::uninit()));
    let at = place.as_ptr();
    // SAFETY: the value is put at this address, and stays there.
    let control: &'static ThreadBlock =
        place.write(unsafe { ThreadBlock::new(at, priority, &ABOUT) });
    KEPT.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(control);
    control
}

/// Runs `test` with a scheduler in which idle runs.
pub fn alone(test: impl FnOnce()) {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    kernel(|lock| SCHEDULER.initialise(lock));
    let _ = was_pended();
    test();
}

/// Makes a thread ready.
pub fn begin(control: &'static ThreadBlock) {
    kernel(|lock| SCHEDULER.begin(control, ::core::ptr::null_mut(), lock));
    SCHEDULER.look_after();
}

/// Resumes a thread, in two sections.
pub fn resume(control: &'static ThreadBlock) {
    SCHEDULER.resume_and_look(control);
}

/// Changes the priority of a thread, in several sections.
pub fn change_priority(control: &'static ThreadBlock, priority: u8) {
    let change = kernel(|lock| SCHEDULER.change_priority(control, priority, lock));
    assert!(SCHEDULER.finish_change(control, change, priority, |_| true));
}

/// Does the work of PendSV, if it is pending. Returns the running thread.
pub fn selected() -> &'static ThreadBlock {
    kernel(|lock| SCHEDULER.select(lock))
}

/// Lets the running thread wait.
pub fn block() {
    kernel(|lock| {
        SCHEDULER.make_unready(lock);
        let _ = SCHEDULER.select(lock);
    });
}

/// Suspends and resumes the running thread while a switch away from it may be under way, whose
/// decision is made.
#[test]
fn whoever_runs_and_is_resumed_is_looked_for_again() {
    alone(|| {
        let (low, high) = (thread(1), thread(2));
        begin(low);
        begin(high);
        assert!(std::ptr::eq(selected(), high));
        assert!(kernel(|lock| SCHEDULER.suspend(high, lock)), "it runs");
        let _ = was_pended();
        resume(high);
        assert!(was_pended(), "a switch to the less urgent one stays as it was decided");
        for _ in 0..2 {
            let _selected = selected();
            block();
        }
    });
}

#[test]
fn the_more_urgent_preempts_and_the_others_wait_in_order() {
    alone(|| {
        let (low, first, second, high) = (thread(1), thread(2), thread(2), thread(3));
        begin(first);
        assert!(was_pended(), "anybody preempts idle");
        assert!(std::ptr::eq(selected(), first));
        for control in [second, low] {
            begin(control);
            assert!(!was_pended(), "neither an equal nor a lower one preempts");
        }
        begin(high);
        assert!(was_pended());
        for expected in [high, first, second, low] {
            assert!(std::ptr::eq(selected(), expected));
            block();
        }
        assert_eq!(SCHEDULER.running().about.name, "idle");
    });
}

#[test]
fn a_yield_goes_behind_equals_and_only_them() {
    alone(|| {
        let (low, first, second) = (thread(1), thread(2), thread(2));
        for control in [low, first] {
            begin(control);
        }
        assert!(std::ptr::eq(selected(), first));
        assert!(!kernel(|lock| SCHEDULER.rotate(lock)), "nobody else has this priority");
        begin(second);
        assert!(kernel(|lock| SCHEDULER.rotate(lock)));
        assert!(std::ptr::eq(selected(), second));
        for control in [second, first, low] {
            assert!(std::ptr::eq(selected(), control));
            block();
        }
    });
}

#[test]
fn a_ceiling_holds_off_up_to_its_own_priority() {
    alone(|| {
        let (low, user, high) = (thread(1), thread(3), thread(4));
        begin(low);
        assert!(std::ptr::eq(selected(), low));
        let _ = was_pended();
        let before = SCHEDULER.raise_limit(encode_ceiling(3));
        begin(user);
        assert!(!was_pended(), "a user of the ceiling waits");
        let nested = SCHEDULER.raise_limit(encode_ceiling(2));
        SCHEDULER.restore_limit(nested);
        assert!(!was_pended(), "the inner section ends under the outer one");
        begin(high);
        assert!(was_pended(), "who is above the ceiling doesn't");
        assert!(std::ptr::eq(selected(), high));
        block();
        // The hardware resumes the interrupted thread, if no thread above the limit is ready.
        kernel(|_| SCHEDULER.running.set(low));
        SCHEDULER.restore_limit(before);
        assert!(was_pended(), "its turn comes when the section ends");
        for control in [user, low] {
            assert!(std::ptr::eq(selected(), control));
            block();
        }
    });
}

#[test]
fn a_lower_ceiling_within_a_section_lets_no_user_of_the_outer_one_run() {
    alone(|| {
        let (low, user, high) = (thread(1), thread(3), thread(4));
        begin(low);
        assert!(std::ptr::eq(selected(), low));
        let outer = SCHEDULER.raise_limit(encode_ceiling(3));
        let inner = SCHEDULER.raise_limit(encode_ceiling(2));
        let _ = was_pended();
        begin(user);
        assert!(!was_pended(), "the outer section holds it off");
        assert!(kernel(|lock| SCHEDULER.promote(lock).is_none()));
        begin(high);
        assert!(was_pended(), "it is above both");
        assert!(kernel(|lock| SCHEDULER.promote(lock).is_some()));
        assert!(std::ptr::eq(selected(), high));
        block();
        assert!(std::ptr::eq(selected(), low), "it is still in both sections");
        SCHEDULER.restore_limit(inner);
        assert!(std::ptr::eq(selected(), low), "and in the outer one");
        SCHEDULER.restore_limit(outer);
        for control in [user, low] {
            assert!(std::ptr::eq(selected(), control));
            block();
        }
    });
}

#[test]
fn who_is_preempted_under_a_ceiling_goes_on_before_those_below_it() {
    alone(|| {
        let (low, user, high) = (thread(1), thread(3), thread(4));
        begin(low);
        assert!(std::ptr::eq(selected(), low));
        let before = SCHEDULER.raise_limit(encode_ceiling(3));
        begin(user);
        assert!(kernel(|lock| SCHEDULER.promote(lock).is_none()), "a user of the ceiling waits");
        begin(high);
        assert!(kernel(|lock| SCHEDULER.promote(lock).is_some()));
        assert!(std::ptr::eq(selected(), high));
        block();
        assert!(std::ptr::eq(selected(), low), "it holds what the user would find half changed");
        SCHEDULER.restore_limit(before);
        assert!(!low.is_under_ceiling());
        assert_eq!(low.limit.get(), limit_of(bit_of(1)), "not that of the ceiling");
        assert!(std::ptr::eq(selected(), user));
        block();
        assert!(std::ptr::eq(selected(), low));
        block();
    });
}

#[test]
fn a_thread_at_its_ceiling_is_known_to_be_under_it() {
    alone(|| {
        let user = thread(1);
        begin(user);
        assert!(std::ptr::eq(selected(), user));
        let before = SCHEDULER.raise_limit(encode_ceiling(1));
        assert!(user.is_under_ceiling());
        let _ = was_pended();
        begin(thread(1));
        assert!(!was_pended());
        begin(thread(2));
        assert!(was_pended());
        change_priority(user, 3);
        SCHEDULER.restore_limit(before);
        assert!(!user.is_under_ceiling());
        assert!(std::ptr::eq(selected(), user));
        for _ in 0..3 {
            block();
        }
    });
}

/// Interrupts between the two halves of a section's end. The second half sets the limit of the
/// priority that the thread had before.
#[test]
fn who_is_made_less_urgent_at_the_end_of_a_section_is_told_so() {
    alone(|| {
        let (low, high) = (thread(3), thread(2));
        begin(low);
        assert!(std::ptr::eq(selected(), low));
        let before = SCHEDULER.raise_limit(encode_ceiling(4));
        low.ceiling.set(before);
        set_base(low, 1);
        low.limit.set(limit_of(bit_of(3)));
        assert!(low.promoted.get(), "nothing says that the limit is an old one");
        SCHEDULER.restore_limit(before);
        assert!(!low.promoted.get());
        assert_eq!(low.limit.get(), limit_of(bit_of(1)));
        let _ = was_pended();
        begin(high);
        assert!(was_pended() && std::ptr::eq(selected(), high));
        block();
        block();
    });
}

#[test]
fn a_suspended_thread_is_ready_again_when_it_is_resumed_and_only_then() {
    alone(|| {
        let (low, high) = (thread(1), thread(2));
        begin(low);
        begin(high);
        assert!(std::ptr::eq(selected(), high));
        assert!(kernel(|lock| SCHEDULER.suspend(high, lock)), "it runs");
        assert!(std::ptr::eq(selected(), low));
        kernel(|lock| SCHEDULER.unpark(high, lock));
        assert!(std::ptr::eq(selected(), low));
        resume(high);
        assert!(std::ptr::eq(selected(), high));
        block();
        // A grant while the thread waits and is suspended counts when the thread is resumed.
        let _ = kernel(|lock| SCHEDULER.suspend(high, lock));
        kernel(|lock| SCHEDULER.make_ready(high, lock));
        assert!(std::ptr::eq(selected(), low));
        resume(high);
        assert!(std::ptr::eq(selected(), high));
        block();
        block();
    });
}

#[test]
fn a_change_of_priority_moves_a_thread_to_its_new_place() {
    alone(|| {
        let (low, middle, high) = (thread(1), thread(2), thread(3));
        for control in [low, middle, high] {
            begin(control);
        }
        assert!(std::ptr::eq(selected(), high));
        let _ = was_pended();
        change_priority(low, 4);
        assert!(was_pended(), "it inherits, and is the most urgent");
        assert!(std::ptr::eq(selected(), low));
        change_priority(low, 1);
        for control in [high, middle, low] {
            assert!(std::ptr::eq(selected(), control));
            block();
        }
    });
}

/// Interrupts between the two sections of a change of priority.
#[test]
fn a_thread_between_two_rings_is_neither_suspended_nor_waiting() {
    alone(|| {
        let (low, high) = (thread(1), thread(3));
        begin(low);
        begin(high);
        let begin_to_move = |priority| {
            let change = kernel(|lock| SCHEDULER.change_priority(low, priority, lock));
            assert_eq!(change, Change::Moves, "it is ready");
            assert!(kernel(|lock| !low.is_suspended(lock)));
        };
        let end_move =
            |to, is_due: bool| SCHEDULER.finish_change(low, Change::Moves, to, |_| is_due);
        // Another change counts, and a resumption has no effect.
        begin_to_move(4);
        let change = kernel(|lock| SCHEDULER.change_priority(low, 2, lock));
        assert_eq!(change, Change::None, "the move isn't over");
        resume(low);
        assert!(std::ptr::eq(selected(), high) && !SCHEDULER.is_ready(low));
        assert!(!end_move(4, false));
        assert!(SCHEDULER.is_ready(low) && std::ptr::eq(selected(), high));
        // A suspension counts, also if the thread is resumed before the end of the move.
        for resumes_at_once in [false, true] {
            let priority = if resumes_at_once { 5 } else { 4 };
            begin_to_move(priority);
            assert!(!kernel(|lock| SCHEDULER.suspend(low, lock)));
            assert!(kernel(|lock| low.is_suspended(lock)) && was_pended());
            if resumes_at_once {
                resume(low);
            }
            // A thread that is in a ring again has to move anew.
            assert_eq!(end_move(priority, true), !resumes_at_once);
            assert_eq!(SCHEDULER.is_ready(low), resumes_at_once);
            if !resumes_at_once {
                resume(low);
            }
            assert!(std::ptr::eq(selected(), low));
        }
        block();
        block();
    });
}

#[test]
fn whoever_is_woken_from_anywhere_is_ready_after_one_look() {
    alone(|| {
        let (first, second) = (thread(1), thread(2));
        for control in [first, second] {
            begin(control);
            assert!(std::ptr::eq(selected(), control));
            assert!(!kernel(|lock| SCHEDULER.take_wake(lock)));
            kernel(|lock| control.set_awaits_wake(lock));
            block();
        }
        for control in [first, second, first] {
            SCHEDULER.wake_from_anywhere(control);
        }
        super::wake_all();
        for control in [second, first] {
            assert!(std::ptr::eq(selected(), control));
            assert!(!kernel(|lock| SCHEDULER.take_wake(lock)), "one wake, one end of a wait");
            block();
        }
        assert!(SCHEDULER.take_all_deferred().is_none());
    });
}

/// Notes wakes and notifications separately if the thread doesn't wait for them.
#[test]
fn a_wait_for_a_wake_takes_no_notification_away() {
    alone(|| {
        let control = thread(1);
        begin(control);
        assert!(std::ptr::eq(selected(), control));
        for _ in 0..2 {
            SCHEDULER.wake_from_anywhere(control);
            super::wake_all();
            kernel(|lock| SCHEDULER.unpark(control, lock));
        }
        SCHEDULER.wake_from_anywhere(control);
        assert!(SCHEDULER.take_all_deferred().is_none(), "one is noted already");
        kernel(|lock| {
            assert!(SCHEDULER.take_wake(lock) && !SCHEDULER.take_wake(lock));
            assert!(SCHEDULER.take_notification(lock) && !SCHEDULER.take_notification(lock));
        });
        // The thread waits for a wake: a notification doesn't end the wait.
        kernel(|lock| control.set_awaits_wake(lock));
        block();
        kernel(|lock| SCHEDULER.unpark(control, lock));
        assert!(!kernel(|_| SCHEDULER.is_ready(control)));
        SCHEDULER.wake_from_anywhere(control);
        super::wake_all();
        assert!(std::ptr::eq(selected(), control));
        kernel(|lock| assert!(SCHEDULER.take_notification(lock) && !SCHEDULER.take_wake(lock)));
        kernel(|lock| SCHEDULER.note_parked(lock));
        block();
        SCHEDULER.wake_from_anywhere(control);
        super::wake_all();
        assert!(!kernel(|_| SCHEDULER.is_ready(control)));
        kernel(|lock| SCHEDULER.unpark(control, lock));
        assert!(std::ptr::eq(selected(), control));
        kernel(|lock| assert!(SCHEDULER.take_wake(lock) && !SCHEDULER.take_notification(lock)));
        block();
    });
}

#[test]
fn equals_that_are_woken_from_anywhere_run_in_that_order() {
    alone(|| {
        let threads = [thread(1), thread(1), thread(1)];
        for control in threads {
            begin(control);
            assert!(std::ptr::eq(selected(), control));
            kernel(|lock| control.set_awaits_wake(lock));
            block();
        }
        let [first, second, third] = threads;
        let order = [second, third, first];
        for control in order {
            SCHEDULER.wake_from_anywhere(control);
        }
        super::wake_all();
        for control in order {
            assert!(std::ptr::eq(selected(), control));
            block();
        }
    });
}

#[test]
fn a_resumed_thread_preempts_as_it_did_before_its_suspension() {
    alone(|| {
        let (low, high) = (thread(1), thread(2));
        begin(low);
        begin(high);
        assert!(std::ptr::eq(selected(), high));
        assert!(kernel(|lock| SCHEDULER.suspend(high, lock)), "it runs");
        assert_eq!(high.limit.get(), limit_of(0));
        assert!(std::ptr::eq(selected(), low));
        let _ = was_pended();
        resume(high);
        assert!(was_pended(), "it is more urgent than the one that runs");
        assert_eq!(high.limit.get(), limit_of(bit_of(2)));
        assert!(std::ptr::eq(selected(), high));
        let _ = was_pended();
        assert!(!kernel(|lock| SCHEDULER.suspend(low, lock)), "it doesn't run");
        let _ = was_pended();
        resume(low);
        assert!(!was_pended(), "it is less urgent");
        for control in [high, low] {
            assert!(std::ptr::eq(selected(), control));
            block();
        }
    });
}

#[test]
fn a_thread_may_wait_unless_it_holds_something() {
    alone(|| {
        let (control, other) = (thread(1), thread(1));
        begin(control);
        assert!(std::ptr::eq(selected(), control));
        assert_eq!(SCHEDULER.blocking(0), Blocking::Allowed);
        assert_eq!(SCHEDULER.blocking(1), Blocking::UnderLevelCeiling);
        assert!(!SCHEDULER.may_not_wait(control, 0));
        let before = SCHEDULER.raise_limit(encode_ceiling(2));
        assert_eq!(SCHEDULER.blocking(0), Blocking::UnderThreadCeiling);
        assert!(SCHEDULER.may_not_wait(control, 0) && !SCHEDULER.may_not_wait(other, 0));
        SCHEDULER.restore_limit(before);
        assert_eq!(SCHEDULER.blocking(0), Blocking::Allowed);
        block();
    });
}
