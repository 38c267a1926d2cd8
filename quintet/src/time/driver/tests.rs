//! The driver under every interleaving of its handler, arming and cancelling.
//!
//! The queue is the process's: these tests take turns.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Driver, Node, Order, QUEUE, arm, cancel};
use crate::arch::explore::{KERNEL, Scenario, explore};
use crate::arch::systick;
use crate::core::lock::kernel;
use crate::core::record::WakeTarget;
use crate::core::wake::host::{waker, was_woken};
use crate::sync::tests::model::under_miri;
use crate::time::clock::Clock;
use crate::time::systick::SysTickSource;

/// 4 counts a tick.
type Time = Clock<SysTickSource<4_000_000>>;

crate::__time_driver!(Time, DRIVER);

/// The wakers' priority.
const PRIORITY: usize = 1;

/// Takes the queue for this thread, and starts the driver anew.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: nobody else uses the driver, and no interrupt comes.
    unsafe { DRIVER.start() };
    interrupt();
    turn
}

/// The source's interrupt, if it has come.
pub fn interrupt() {
    if systick::left() == Some(0) {
        systick::taken();
        // SAFETY: the handler's only place; the scenarios don't nest it.
        unsafe { DRIVER.on_interrupt() };
    }
}

/// Timers that a scenario uses, and what became of them.
struct Timers {
    nodes: Vec<Node>,
    armed: RefCell<Vec<usize>>,
    cancelled: RefCell<Vec<usize>>,
}

impl Timers {
    fn new(deadlines: &[u64]) -> Rc<Self> {
        let now = DRIVER.now();
        let nodes = deadlines.iter().map(|ticks| Node::new(now + ticks)).collect();
        for slot in 0..32 {
            was_woken(PRIORITY, slot);
        }
        Rc::new(Self { nodes, armed: RefCell::default(), cancelled: RefCell::default() })
    }

    fn arm(&self, index: usize) {
        // SAFETY: each scenario arms a node once; the nodes stay until the scenario has ended.
        unsafe {
            let node = &self.nodes[index];
            arm(node, node.deadline(), WakeTarget::job(waker(PRIORITY, index as u32)));
        }
        self.armed.borrow_mut().push(index);
    }

    /// Arms it for another time, if it has been armed.
    fn restart(&self, index: usize, deadline: u64) {
        if !self.armed.borrow().contains(&index) {
            return;
        }
        let node = &self.nodes[index];
        // SAFETY: as for `cancel`; it is not armed any more.
        unsafe {
            cancel(node);
            node.set_deadline(deadline);
        }
        // SAFETY: not armed any more; it stays until the scenario has ended.
        unsafe { arm(node, deadline, WakeTarget::job(waker(PRIORITY, index as u32))) };
    }

    fn cancel(&self, index: usize) {
        // SAFETY: the scenario's interrupts don't cancel one node at the same time.
        if unsafe { cancel(&self.nodes[index]) } {
            self.cancelled.borrow_mut().push(index);
        }
    }

    /// Lets time pass, tick by tick: each timer wakes at its tick, or was cancelled, never both.
    fn finish(&self) {
        interrupt();
        for _ in 0..40 {
            let now = DRIVER.now();
            for node in &self.nodes {
                // SAFETY: nobody changes deadlines any more.
                let due = unsafe { node.deadline() } <= now;
                assert!(!due || !kernel(|token| node.is_armed(token)), "late");
            }
            systick::pass(4);
            interrupt();
        }
        for index in 0..self.nodes.len() {
            assert!(!kernel(|token| self.nodes[index].is_armed(token)));
            let woken = was_woken(PRIORITY, index as u32);
            let cancelled = self.cancelled.borrow().contains(&index);
            let armed = self.armed.borrow().contains(&index);
            assert_eq!(woken, armed && !cancelled, "{index}: one outcome");
        }
    }
}

/// Runs a scenario in every interleaving. Returns how many there are.
fn each(deadlines: &[u64], scenario: impl Fn(&Scenario, &Rc<Timers>)) -> usize {
    let _turn = turn();
    let runs = explore(|run| {
        let timers = Timers::new(deadlines);
        scenario(run, &timers);
        timers.finish();
    });
    println!("{runs} interleavings");
    runs
}

/// The handler comes at any point, when two timers are due or will be; both may just be armed,
/// cancelled, or about to be.
#[test]
fn arming_and_cancelling_race_with_the_expiry() {
    let runs = each(&[3, 2, 1], |run, timers| {
        run.interrupt(KERNEL, move || {
            systick::pass(9);
            interrupt();
        });
        run.run(|| {
            timers.arm(0);
            timers.arm(1);
            timers.cancel(0);
            timers.arm(2);
            timers.cancel(1);
        });
    });
    assert!(runs > 10 || cfg!(miri), "{runs}");
}

/// A more urgent context than the handler arms and cancels at any point of an expiry.
#[test]
fn the_expiry_is_interrupted_by_arming_and_cancelling() {
    let runs = each(&[3, 2, 1, 1, 2], |run, timers| {
        let theirs = Rc::clone(timers);
        run.interrupt(KERNEL, move || {
            theirs.arm(3);
            theirs.cancel(1);
            theirs.arm(4);
        });
        run.run(|| {
            timers.arm(0);
            timers.arm(1);
            timers.arm(2);
            systick::pass(4);
            interrupt();
            systick::pass(4);
            interrupt();
        });
    });
    assert!(runs > 20 || cfg!(miri), "{runs}");
}

/// A more urgent context than the handler starts timers anew at any point of an expiry, for times
/// that are past, present, next and to come.
#[test]
fn the_expiry_is_interrupted_by_starting_anew() {
    let starts = [[0, 1], [1, 2], [2, 0], [9, 1], [0, 9]];
    for [ticks, next] in starts.into_iter().take(under_miri(1, 5)) {
        let runs = each(&[3, 1, 2, 4], |run, timers| {
            let (theirs, begun) = (Rc::clone(timers), DRIVER.now());
            run.interrupt(KERNEL, move || {
                theirs.restart(0, begun + ticks);
                theirs.restart(1, begun + next);
            });
            run.run(|| {
                for index in 0..4 {
                    timers.arm(index);
                }
                systick::pass(4);
                interrupt();
                systick::pass(4);
                interrupt();
            });
        });
        assert!(runs > 20 || cfg!(miri), "{runs}");
    }
}

/// Two contexts arm an earlier timer each: the alarm is for the earlier of the two.
#[test]
fn two_contexts_lower_the_alarm() {
    let runs = each(&[30, 20, 10, 5], |run, timers| {
        let first = Rc::clone(timers);
        run.interrupt(1, move || first.arm(1));
        let second = Rc::clone(timers);
        run.interrupt(2, move || {
            second.arm(2);
            second.cancel(0);
        });
        run.run(|| {
            timers.arm(0);
            timers.arm(3);
            timers.cancel(3);
        });
    });
    assert!(runs > 50 || cfg!(miri), "{runs}");
}

/// Another thread is held up where it has armed the earliest of all and not lowered the alarm yet.
/// The others are on time.
#[test]
fn a_thread_that_is_held_up_while_it_arms_holds_nobody_up() {
    let runs = each(&[10, 15, 12, 20], |run, timers| {
        let theirs = Rc::clone(timers);
        timers.arm(0);
        run.interrupt(KERNEL, move || {
            systick::pass(40);
            interrupt();
        });
        run.thread(move || {
            let (node, index) = (&theirs.nodes[2], 2);
            // SAFETY: armed once; it stays until the scenario has ended.
            let order = kernel(|token| unsafe {
                node.prepare(WakeTarget::job(waker(PRIORITY, index)));
                QUEUE.arm_in_order(token, node, node.deadline())
            });
            if matches!(order, Order::First | Order::Armed) {
                theirs.armed.borrow_mut().push(2);
            }
        });
        run.run(|| {
            timers.arm(1);
            timers.arm(3);
        });
        // SAFETY: nobody changes deadlines any more.
        let deadline = |index: usize| unsafe { timers.nodes[index].deadline() };
        for index in [1, 3] {
            let rest = deadline(index).saturating_sub(DRIVER.now());
            let left = systick::left().expect("it is always set");
            assert!(u64::from(left) <= rest * 4, "{index}: {left} of {rest} ticks");
        }
        // The one that was held up goes on.
        if timers.armed.borrow().contains(&2) {
            DRIVER.lower_alarm(deadline(2));
        }
    });
    assert!(runs > 10 || cfg!(miri), "{runs}");
}

/// A thread that is about to set the hardware is held up until the counter has gone half round:
/// what it has found for its deadline would be a time to come again.
#[test]
fn a_thread_that_is_held_up_for_long_sets_no_time_that_is_over() {
    let runs = each(&[2, 0], |run, timers| {
        run.thread(|| {
            for _ in 0..under_miri(2, 300) {
                systick::pass(systick::LEG);
                interrupt();
            }
        });
        run.run(|| timers.arm(0));
        // SAFETY: not armed yet.
        unsafe { timers.nodes[1].set_deadline(DRIVER.now() + 3) };
        timers.arm(1);
    });
    assert!(runs > 1, "{runs}");
}

/// Deadlines in the past, now, and at the end of time.
#[test]
fn extreme_deadlines() {
    let _turn = turn();
    systick::pass(4000);
    let now = DRIVER.now();
    let nodes = [0, now - 1, now, now + 1, u64::MAX].map(Node::new);
    for (index, node) in nodes.iter().enumerate() {
        was_woken(PRIORITY, index as u32);
        // SAFETY: armed once, and cancelled below.
        unsafe { arm(node, node.deadline(), WakeTarget::job(waker(PRIORITY, index as u32))) };
    }
    let woken = |index: usize| was_woken(PRIORITY, index as u32);
    interrupt();
    assert_eq!([0, 1, 2, 3, 4].map(woken), [true, true, true, false, false]);
    assert_eq!(systick::left(), Some(4));
    systick::pass(4);
    interrupt();
    assert_eq!([0, 1, 2, 3, 4].map(woken), [false, false, false, true, false]);
    // Nothing but the end of time: the source interrupts once a leg, to keep the time.
    let mut counts = 0;
    for _ in 0..2000 {
        let left = systick::left().unwrap_or(0);
        assert!((systick::LEG / 4 * 3..=systick::LEG).contains(&left), "{left}");
        systick::pass(left);
        counts += u64::from(left);
        interrupt();
    }
    // SAFETY: the nodes are this test's.
    assert!(!woken(4) && unsafe { cancel(&nodes[4]) && !cancel(&nodes[3]) });
    assert_eq!(DRIVER.now(), now + 1 + counts / 4);
}

/// Where a count is a tick, the counter's word of a deadline long past may look like one to come:
/// such a timer is due at once. Those to come are right across the wrap of the word.
#[test]
fn past_and_coming_deadlines_where_a_count_is_a_tick() {
    static TICKS: Driver<Clock<SysTickSource<1_000_000>>> = Driver::new(Clock::new());
    let _turn = turn();
    systick::pass(u32::MAX - 1000 - systick::counter());
    // SAFETY: the other driver is not used before the next turn begins.
    unsafe {
        TICKS.start();
        TICKS.on_interrupt();
    }
    let now = TICKS.now();
    assert_eq!(now, u64::from(systick::counter()));
    let leg = u64::from(systick::LEG);
    let pasts = [0, 5000, 1 << 31, now - (1 << 31), now - leg - 1, now - leg, now - 1, now];
    let coming = [now + 1, now + 500, now + 2000, now + 2000 + leg];
    for (slot, deadline) in pasts.into_iter().chain(coming).enumerate() {
        was_woken(PRIORITY, slot as u32);
        let node = Node::new(deadline);
        // SAFETY: it is the only one, and fires below.
        let order = unsafe {
            node.prepare(WakeTarget::job(waker(PRIORITY, slot as u32)));
            kernel(|token| QUEUE.arm_in_order(token, &node, deadline))
        };
        assert_eq!(order, Order::First);
        TICKS.lower_alarm(deadline);
        while kernel(|token| node.is_armed(token)) {
            let left = systick::left().expect("it is always set");
            let rest = deadline.saturating_sub(TICKS.now());
            assert!(u64::from(left) <= rest, "{deadline}: {left} of {rest}");
            systick::pass(left);
            // SAFETY: its interrupt has come.
            unsafe { TICKS.on_interrupt() };
        }
        assert!(was_woken(PRIORITY, slot as u32));
        assert_eq!(TICKS.now(), deadline.max(now), "not early");
    }
    assert!(TICKS.now() > 1 << 32);
}
