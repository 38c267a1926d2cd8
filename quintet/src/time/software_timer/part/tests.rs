//! Timers that are parts, over ticks that the test lets pass, and disarmed at every point.

use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{RawWaker, RawWakerVTable};

use super::SoftwareTimer;
use crate::arch::explore::{KERNEL, explore};
use crate::time::counted::COUNTED;
use crate::time::counted::tests::{pass, turn};

/// A whole that counts its expiries.
#[repr(C)]
struct Whole {
    timer: SoftwareTimer,
    count: AtomicU32,
}

static TABLE: RawWakerVTable = RawWakerVTable::new(copy, expire, expire, forget);

const unsafe fn copy(word: *const ()) -> RawWaker {
    RawWaker::new(word, &TABLE)
}

const unsafe fn forget(_word: *const ()) {}

unsafe fn expire(word: *const ()) {
    // SAFETY: from `Whole::word`.
    let whole = unsafe { &*word.cast::<Whole>() };
    if whole.timer.part_is_periodic() {
        whole.timer.renew_part();
    }
    whole.count.fetch_add(1, Ordering::Relaxed);
}

impl Whole {
    const fn new() -> Self {
        Self { timer: SoftwareTimer::part(|_| {}, &TABLE), count: AtomicU32::new(0) }
    }

    fn word(&'static self) -> *const () {
        ptr::from_ref(self).cast()
    }

    fn arm(&'static self, ticks: u64) {
        // SAFETY: a static.
        unsafe { self.timer.arm_part(self.word(), ticks) };
    }

    fn arm_at(&'static self, deadline: u64, period: u64) {
        // SAFETY: a static.
        unsafe { self.timer.arm_part_at(self.word(), deadline, period) };
    }

    /// How often it has expired since the last call.
    fn expired(&self) -> u32 {
        self.count.swap(0, Ordering::Relaxed)
    }
}

fn pass_ticks(ticks: u32) {
    for _ in 0..ticks {
        pass();
    }
}

#[test]
fn once_or_periodically_until_it_is_disarmed() {
    static WHOLE: Whole = Whole::new();
    let _turn = turn(0);
    let timer = &WHOLE.timer;
    assert!(!timer.disarm_part() && !timer.part_is_armed());
    WHOLE.arm(5);
    assert_eq!(timer.part_deadline(), Some(COUNTED.now() + 5));
    pass_ticks(4);
    assert!(timer.part_is_armed() && WHOLE.expired() == 0);
    pass_ticks(1);
    assert!(!timer.part_is_armed() && WHOLE.expired() == 1);
    WHOLE.arm_at(COUNTED.now() + 1, 3);
    pass_ticks(10);
    assert_eq!(WHOLE.expired(), 4, "at 1, 4, 7 and 10");
    assert!(timer.disarm_part() && !timer.disarm_part());
    pass_ticks(10);
    assert_eq!(WHOLE.expired(), 0);
}

#[test]
fn armed_it_begins_anew() {
    static WHOLE: Whole = Whole::new();
    static OTHER: Whole = Whole::new();
    let _turn = turn(0);
    WHOLE.arm_at(COUNTED.now() + 3, 3);
    pass_ticks(1);
    // It has others below it in the queue.
    OTHER.arm(20);
    pass_ticks(1);
    WHOLE.arm(4);
    pass_ticks(3);
    assert_eq!(WHOLE.expired(), 0, "not at its old time");
    pass_ticks(10);
    assert_eq!(WHOLE.expired(), 1, "once");
    assert!(OTHER.timer.disarm_part());
    WHOLE.arm_at(COUNTED.now(), 0);
    pass_ticks(1);
    assert_eq!(WHOLE.expired(), 1, "its time has passed");
}

/// Whatever comes when: who is told that it was armed sees no expiry behind that, and who isn't,
/// one.
#[test]
fn a_disarm_that_says_so_comes_before_the_expiry() {
    static WHOLE: Whole = Whole::new();
    let _turn = turn(0);
    let runs = explore(|run| {
        WHOLE.arm(1);
        let mut was_armed = false;
        run.interrupt(KERNEL, pass);
        run.run(|| was_armed = WHOLE.timer.disarm_part());
        pass_ticks(2);
        assert_eq!(WHOLE.expired(), u32::from(!was_armed));
    });
    assert!(runs > 1);
}

/// The same for a periodic one, which an interrupt disarms wherever its expiry is.
#[test]
fn a_disarmed_timer_is_not_renewed() {
    static WHOLE: Whole = Whole::new();
    let _turn = turn(0);
    let runs = explore(|run| {
        WHOLE.arm_at(COUNTED.now() + 1, 1);
        run.interrupt(KERNEL, || {
            WHOLE.timer.disarm_part();
        });
        run.run(pass);
        let expired = WHOLE.expired();
        pass_ticks(3);
        assert!(expired <= 1 && WHOLE.expired() == 0);
        assert!(!WHOLE.timer.part_is_armed());
    });
    assert!(runs > 3);
}

/// An interrupt arms it anew, and disarms it again, wherever its expiry is: that isn't undone.
#[test]
fn a_timer_that_is_armed_and_disarmed_in_its_expiry_is_not_renewed() {
    static WHOLE: Whole = Whole::new();
    let _turn = turn(0);
    for period in [0, 1] {
        let runs = explore(|run| {
            WHOLE.arm_at(COUNTED.now() + 1, period);
            run.interrupt(KERNEL, || {
                WHOLE.arm_at(COUNTED.now() + 2, 2);
                assert!(WHOLE.timer.disarm_part(), "it was armed just now");
            });
            run.run(pass);
            let expired = WHOLE.expired();
            pass_ticks(5);
            assert!(expired <= 1 && WHOLE.expired() == 0);
            assert!(!WHOLE.timer.part_is_armed());
        });
        assert!(runs > 3);
    }
}

#[test]
fn a_timer_is_moved_until_a_tick_has_seen_it() {
    static WHOLE: Whole = Whole::new();
    let _turn = turn(0);
    let timer = &WHOLE.timer;
    assert!(!timer.move_part(3), "it isn't armed");
    WHOLE.arm(5);
    assert!(timer.move_part(2));
    assert_eq!(timer.part_deadline(), Some(COUNTED.now() + 2));
    pass_ticks(1);
    assert!(!timer.move_part(3), "it has a place in the queue");
    pass_ticks(1);
    assert_eq!(WHOLE.expired(), 1);
    assert!(!timer.move_part(3), "its time has come");
    WHOLE.arm_at(COUNTED.now() + 1, 1);
    assert!(timer.move_part(2));
    pass_ticks(5);
    assert_eq!(WHOLE.expired(), 1, "not periodically any more");
}

/// Whatever comes when: a timer that was moved expires at its new time only.
#[test]
fn a_tick_anywhere_in_a_move_comes_before_or_after_it() {
    static WHOLE: Whole = Whole::new();
    let _turn = turn(0);
    let runs = explore(|run| {
        WHOLE.arm(1);
        let mut was_moved = false;
        run.interrupt(KERNEL, pass);
        run.run(|| was_moved = WHOLE.timer.move_part(2));
        let expired = WHOLE.expired();
        assert_eq!(expired, u32::from(!was_moved));
        pass_ticks(3);
        assert_eq!(expired + WHOLE.expired(), 1);
    });
    assert!(runs > 1);
}
