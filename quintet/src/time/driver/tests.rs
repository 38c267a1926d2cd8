//! The driver under every interleaving of its handler, arming and cancelling.
//!
//! The queue is the process's: these tests take turns.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Node, arm, cancel};
use crate::arch::explore::{KERNEL, Scenario, explore};
use crate::arch::{systick, waker, was_woken};
use crate::core::lock::kernel;
use crate::core::wake::Wakee;
use crate::time::systick::SysTickSource;

/// 4 counts a tick.
type Source = SysTickSource<4_000_000>;

crate::__time_driver!(Source, DRIVER);

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
        unsafe { arm(&self.nodes[index], Wakee::job(waker(PRIORITY, index as u32))) };
        self.armed.borrow_mut().push(index);
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
        unsafe { arm(node, Wakee::job(waker(PRIORITY, index as u32))) };
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
