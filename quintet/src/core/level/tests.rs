//! Levels under every interleaving of wakes. No wake is lost, no job runs twice, and the order is
//! kept.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Few, Job, One, Ready, WideReady, set_flag};
use crate::arch::explore::{Scenario, explore};
use crate::arch::pend;

/// The number of the level's interrupt.
const VECTOR: u16 = 7;
/// The level's priority.
const LEVEL: u8 = 2;

/// The slots of the jobs that ran, in order.
type Log = Rc<RefCell<Vec<u32>>>;

thread_local! {
    static LOG: RefCell<Log> = RefCell::default();
}

unsafe extern "C" fn job<const SLOT: u32>() {
    LOG.with_borrow(|log| log.borrow_mut().push(SLOT));
}

const TABLE: [Job; 3] = [job::<0>, job::<1>, job::<2>];

/// A level of three slots in a scenario.
fn level(scenario: &Scenario) -> (Rc<Ready>, Log) {
    let ready = Rc::new(Ready::new());
    let log = Log::default();
    LOG.with_borrow_mut(|current| *current = Rc::clone(&log));
    let theirs = Rc::clone(&ready);
    scenario.level(VECTOR, LEVEL, move || {
        // SAFETY: the scenario doesn't nest a level; the jobs only write to the log.
        unsafe { theirs.run_round(&TABLE) };
    });
    (ready, log)
}

fn wake(ready: &Ready, slot: u32) {
    ready.set(Ready::bit(slot));
    pend(VECTOR);
}

/// Adds an interrupt that logs its wake of the slot.
fn waking(scenario: &Scenario, priority: u8, ready: &Rc<Ready>, log: &Log, slot: u32) {
    let (ready, log) = (Rc::clone(ready), Rc::clone(log));
    scenario.interrupt(priority, move || {
        log.borrow_mut().push(100 + slot);
        wake(&ready, slot);
    });
}

/// Checks that a run of its job follows every wake, and that no job runs more often than it was
/// woken.
fn check(log: &Log, wakes: [usize; 3]) {
    let log = log.borrow();
    for slot in 0..3 {
        let runs = log.iter().filter(|entry| **entry == slot).count();
        assert!(runs <= wakes[slot as usize], "slot {slot} ran {runs} times: {log:?}");
        if let Some(last) = log.iter().rposition(|entry| *entry == 100 + slot) {
            assert!(log[last..].contains(&slot), "a wake of slot {slot} was lost: {log:?}");
        }
    }
}

#[test]
fn no_wake_is_lost_whenever_it_comes() {
    let runs = explore(|scenario| {
        let (ready, log) = level(scenario);
        waking(scenario, 1, &ready, &log, 0);
        waking(scenario, 3, &ready, &log, 0);
        waking(scenario, 4, &ready, &log, 2);
        scenario.run(|| wake(&ready, 1));
        check(&log, [2, 1, 1]);
        assert!(ready.is_empty());
    });
    assert!(cfg!(miri) || runs > 200, "{runs}");
}

#[test]
fn a_slot_ahead_runs_in_the_same_round_and_one_behind_in_the_next() {
    thread_local! { static READY: RefCell<Option<Rc<Ready>>> = const { RefCell::new(None) }; }
    unsafe extern "C" fn wakes_both_sides() {
        LOG.with_borrow(|log| log.borrow_mut().push(1));
        READY.with_borrow(|ready| {
            if let Some(ready) = ready {
                ready.set(Ready::bit(0));
                ready.set(Ready::bit(2));
            }
        });
    }
    let ready = Rc::new(Ready::new());
    READY.set(Some(Rc::clone(&ready)));
    let log = Log::default();
    LOG.with_borrow_mut(|current| *current = Rc::clone(&log));
    ready.set(Ready::bit(1));
    ready.set(Ready::bit(2));
    let table: [Job; 3] = [job::<0>, wakes_both_sides, job::<2>];
    // SAFETY: not nested; the jobs only write to the log and wake.
    unsafe { ready.run_round(&table) };
    assert_eq!(*log.borrow(), [1, 2]);
    assert!(!ready.is_empty());
    // SAFETY: as above.
    unsafe { ready.run_round(&table) };
    assert_eq!(*log.borrow(), [1, 2, 0]);
}

/// Runs a round over the flags of three slots, as the expansion writes the round.
fn run_few(few: &Few<3>) {
    for slot in 0..3 {
        if few.take(slot) {
            // SAFETY: the jobs only write to the log and wake.
            unsafe { TABLE[slot as usize]() };
        }
    }
}

#[test]
fn a_level_of_a_few_loses_no_wake() {
    let runs = explore(|scenario| {
        let few = Rc::new(Few::<3>::new());
        let log = Log::default();
        LOG.with_borrow_mut(|current| *current = Rc::clone(&log));
        let theirs = Rc::clone(&few);
        scenario.level(VECTOR, LEVEL, move || run_few(&theirs));
        for (priority, slot) in [(1, 0), (3, 0), (4, 2)] {
            let (few, log) = (Rc::clone(&few), Rc::clone(&log));
            scenario.interrupt(priority, move || {
                log.borrow_mut().push(100 + slot);
                few.set(slot);
                pend(VECTOR);
            });
        }
        scenario.run(|| {
            few.set(1);
            pend(VECTOR);
        });
        check(&log, [2, 1, 1]);
        assert!(few.is_empty());
    });
    assert!(cfg!(miri) || runs > 200, "{runs}");
}

#[test]
fn a_round_of_flags_is_live_too() {
    thread_local! { static FLAGS: Few<3> = const { Few::new() }; }
    let log = Log::default();
    LOG.with_borrow_mut(|current| *current = Rc::clone(&log));
    FLAGS.with(|flags| {
        flags.set(1);
        for slot in 0..3 {
            if flags.take(slot) {
                log.borrow_mut().push(slot);
                // Both neighbours, and the slot itself.
                if slot == 1 {
                    (0..3).for_each(|other| flags.set(other));
                }
            }
        }
        assert_eq!(*log.borrow(), [1, 2]);
        assert_eq!([0, 1, 2].map(|slot| flags.take(slot)), [true, true, false]);
    });
}

#[test]
fn a_flag_is_set_by_its_address() {
    static FEW: Few<3> = Few::new();
    let flag = std::ptr::from_ref(&FEW.flags()[1]);
    // SAFETY: the word is the address of a flag of a static.
    unsafe { set_flag(flag.cast()) };
    assert!(!FEW.is_empty());
    assert_eq!([0, 1, 2].map(|slot| FEW.take(slot)), [false, true, false]);
    assert!(FEW.is_empty());
}

#[test]
fn a_level_of_one_loses_no_wake() {
    explore(|scenario| {
        let ready = Rc::new(One::new());
        let count = Rc::new(RefCell::new(0));
        let (flag, ran) = (Rc::clone(&ready), Rc::clone(&count));
        scenario.level(VECTOR, LEVEL, move || {
            if flag.take() {
                *ran.borrow_mut() += 1;
            }
        });
        let seen = Rc::new(RefCell::new(0));
        for priority in [3, 4] {
            let (flag, ran, seen) = (Rc::clone(&ready), Rc::clone(&count), Rc::clone(&seen));
            scenario.interrupt(priority, move || {
                *seen.borrow_mut() = *ran.borrow();
                flag.set();
                pend(VECTOR);
            });
        }
        scenario.run(|| {
            ready.set();
            pend(VECTOR);
        });
        assert!(*count.borrow() > *seen.borrow(), "the last wake was lost");
        assert!(*count.borrow() <= 3);
        assert!(ready.is_empty());
    });
}

#[test]
fn a_wide_level_runs_its_slots_in_order() {
    let table: Vec<Job> = std::iter::repeat_n(job::<9> as Job, 70).collect();
    let ready = WideReady::<3>::new();
    let log = Log::default();
    LOG.with_borrow_mut(|current| *current = Rc::clone(&log));
    let mut table = table;
    table[0] = job::<0>;
    table[31] = job::<1>;
    table[32] = job::<2>;
    table[69] = job::<3>;
    for slot in [69, 32, 0, 31] {
        ready.set(slot);
    }
    // SAFETY: not nested; the jobs only write to the log.
    unsafe { ready.run_round(&table) };
    assert_eq!(*log.borrow(), [0, 1, 2, 3]);
    assert!(ready.is_empty());
}

#[test]
fn a_wide_level_loses_no_wake() {
    let runs = explore(|scenario| {
        let ready = Rc::new(WideReady::<2>::new());
        let log = Log::default();
        LOG.with_borrow_mut(|current| *current = Rc::clone(&log));
        let theirs = Rc::clone(&ready);
        scenario.level(VECTOR, LEVEL, move || {
            let mut table: Vec<Job> = std::iter::repeat_n(job::<9> as Job, 64).collect();
            table[1] = job::<0>;
            table[2] = job::<1>;
            table[40] = job::<2>;
            // SAFETY: the scenario doesn't nest a level; the jobs only write to the log.
            unsafe { theirs.run_round(&table) };
        });
        for (priority, slot, name) in [(3, 1, 0), (4, 40, 2)] {
            let (theirs, log) = (Rc::clone(&ready), Rc::clone(&log));
            scenario.interrupt(priority, move || {
                log.borrow_mut().push(100 + name);
                theirs.set(slot);
                pend(VECTOR);
            });
        }
        scenario.run(|| {
            ready.set(2);
            pend(VECTOR);
        });
        check(&log, [1, 1, 1]);
    });
    assert!(cfg!(miri) || runs > 100, "{runs}");
}

thread_local! {
    /// The slots that the job of the second slot wakes.
    static WOKEN: RefCell<(Vec<u32>, Option<Rc<Ready>>)> = RefCell::default();
}

/// The job of slot 1, which wakes others, once.
unsafe extern "C" fn wakes_others() {
    LOG.with_borrow(|log| log.borrow_mut().push(1));
    WOKEN.with_borrow_mut(|(slots, ready)| {
        if let Some(ready) = ready {
            slots.drain(..).for_each(|slot| ready.set(Ready::bit(slot)));
        }
    });
}

#[test]
fn the_more_urgent_comes_first_and_equals_take_turns() {
    let ready = Rc::new(Ready::new());
    WOKEN.set((vec![0, 1, 2, 3], Some(Rc::clone(&ready))));
    let log = Log::default();
    LOG.with_borrow_mut(|current| *current = Rc::clone(&log));
    // Slot 0 is above 1 and 2, which are equals, and these above 3.
    let table: [Job; 4] = [job::<0>, wakes_others, job::<2>, job::<3>];
    let equals = Ready::bit(1) | Ready::bit(2);
    let groups = [Ready::bit(0), equals, equals, Ready::bit(3)];
    ready.set(Ready::bit(1));
    // SAFETY: not nested; the jobs only write to the log and wake.
    unsafe { ready.run_by_urgency(&table, &groups) };
    // Slot 1 woke itself too. The slot of equal priority has its turn in between, but the less
    // urgent slot has not.
    assert_eq!(*log.borrow(), [1, 0, 2, 1, 3]);
}

/// Slots 0 to 2 are above 3 to 69, which are equals, and these above 70 and 71.
static WIDE: WideReady<3> = WideReady::new();

/// The job of slot 40, which wakes itself and, once, all slots of other priorities.
unsafe extern "C" fn wakes_itself() {
    let turns = LOG.with_borrow(|log| {
        log.borrow_mut().push(40);
        log.borrow().iter().filter(|slot| **slot == 40).count()
    });
    let woken: &[u32] = match turns {
        1 => &[40, 71, 2],
        2 => &[40],
        _ => &[],
    };
    woken.iter().for_each(|slot| WIDE.set(*slot));
}

#[test]
fn in_a_wide_level_too_the_more_urgent_comes_first_and_equals_take_turns() {
    let mut table: Vec<Job> = std::iter::repeat_n(job::<9> as Job, 72).collect();
    (table[2], table[3], table[31]) = (job::<2>, job::<3>, job::<31>);
    (table[40], table[69], table[71]) = (wakes_itself, job::<69>, job::<71>);
    let log = Log::default();
    LOG.with_borrow_mut(|current| *current = Rc::clone(&log));
    for slot in [3, 31, 40, 69] {
        WIDE.set(slot);
    }
    // SAFETY: not nested; the jobs only write to the log and wake.
    unsafe { WIDE.run_by_urgency(&table, &[3, 70, 72]) };
    assert_eq!(*log.borrow(), [3, 31, 40, 2, 69, 40, 40, 71]);
    assert!(WIDE.is_empty());
}

static ENDS: WideReady<2> = WideReady::new();

/// The job of slot 40, which wakes the first slot, once.
unsafe extern "C" fn wakes_the_first() {
    let first_time = LOG.with_borrow(|log| {
        log.borrow_mut().push(40);
        !log.borrow().contains(&0)
    });
    if first_time {
        ENDS.set(0);
    }
}

#[test]
fn a_wide_level_has_its_first_slot_and_its_last() {
    assert!(ENDS.is_empty());
    for slot in 0..64 {
        ENDS.set(slot);
        assert!(!ENDS.is_empty(), "{slot}");
        // SAFETY: not nested; the jobs only write to the log.
        unsafe { ENDS.run_round(&[job::<9> as Job; 64]) };
        assert!(ENDS.is_empty(), "{slot}");
    }
    let mut table = [job::<9> as Job; 64];
    (table[0], table[40], table[63]) = (job::<0>, wakes_the_first, job::<63>);
    let log = Log::default();
    LOG.with_borrow_mut(|current| *current = Rc::clone(&log));
    ENDS.set(40);
    ENDS.set(63);
    // SAFETY: not nested; the jobs only write to the log and wake.
    unsafe { ENDS.run_by_urgency(&table, &[64]) };
    assert_eq!(*log.borrow(), [40, 63, 0]);
}
