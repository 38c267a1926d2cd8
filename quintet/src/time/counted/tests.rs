//! Ticks under every interleaving of their handler, arming, cancelling and reading.
//!
//! The queue is the process's: these tests take turns with the driver's.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::MutexGuard;

use super::{COUNTED, on_alarm, on_tick};
use crate::arch::explore::{KERNEL, Scenario, explore, point};
use crate::arch::tick;
use crate::core::lock::kernel;
use crate::core::record::WakeTarget;
use crate::core::timer::Node;
use crate::core::wake::host::{waker, was_woken};
use crate::sync::tests::model::under_miri;
use crate::time::driver::{Driver, tests};
use crate::time::systick_tick::Ticks;

static DRIVER: Driver<Ticks<1_000_000>> = Driver::new(Ticks::new());

/// The wakers' priority.
const PRIORITY: usize = 1;

/// What SysTick's handler does, if the interrupt is pending.
fn handle() {
    if tick::taken() {
        point();
        // SAFETY: the handler's only place; the scenarios don't nest it.
        unsafe { on_tick() };
    }
}

/// A period ends, and the handler comes.
pub fn pass() {
    tick::end_period();
    handle();
}

/// Takes the queue, and starts the driver at the time `now`.
pub fn turn(now: u64) -> MutexGuard<'static, ()> {
    let turn = tests::turn();
    // The first tick of all sets the alarm. Until then, nothing looks at once.
    pass();
    COUNTED.count.set(now);
    // SAFETY: nobody else uses the driver, and no interrupt comes. The alarm is the other driver's.
    unsafe {
        DRIVER.start();
        on_alarm();
    }
    handle();
    assert_eq!(DRIVER.now(), now, "a look is no tick");
    turn
}

/// Arms `node` for its deadline, as the driver's users do.
fn arm(node: &Node, slot: u32) {
    // SAFETY: each test arms a node once; it stays until it has fired or was cancelled.
    unsafe {
        let deadline = node.deadline();
        node.prepare(WakeTarget::job(waker(PRIORITY, slot)));
        if kernel(|token| COUNTED.arm(token, node, deadline)) {
            DRIVER.lower_alarm(deadline);
        }
    }
}

/// Timers that a scenario uses.
struct Timers {
    nodes: Vec<Node>,
    armed: RefCell<Vec<usize>>,
    cancelled: RefCell<Vec<usize>>,
    /// The highest time that was read.
    seen: Cell<u64>,
}

impl Timers {
    fn new(deadlines: &[u64]) -> Rc<Self> {
        let now = DRIVER.now();
        for slot in 0..32 {
            was_woken(PRIORITY, slot);
        }
        Rc::new(Self {
            nodes: deadlines.iter().map(|ticks| Node::new(now + ticks)).collect(),
            armed: RefCell::default(),
            cancelled: RefCell::default(),
            seen: Cell::new(now),
        })
    }

    /// Time doesn't go back.
    fn read(&self) {
        let seen = self.seen.get();
        let now = DRIVER.now();
        assert!(now >= seen, "{now} behind {seen}");
        self.seen.set(now.max(self.seen.get()));
    }

    fn arm(&self, index: usize) {
        self.read();
        arm(&self.nodes[index], index as u32);
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
            crate::time::driver::cancel(node);
            node.set_deadline(deadline);
        }
        arm(node, index as u32);
    }

    fn cancel(&self, index: usize) {
        // SAFETY: the scenario's interrupts don't cancel one node at the same time.
        if unsafe { crate::time::driver::cancel(&self.nodes[index]) } {
            self.cancelled.borrow_mut().push(index);
        }
    }

    /// Lets time pass: each timer wakes in the handler of its tick, or at once if that is past; or
    /// was cancelled.
    fn finish(&self, ticks: u64, begun: u64) {
        handle();
        assert_eq!(DRIVER.now(), begun + ticks, "each tick is counted once");
        for _ in 0..20 {
            self.read();
            let now = DRIVER.now();
            for (index, node) in self.nodes.iter().enumerate() {
                // SAFETY: nobody changes deadlines.
                let due = unsafe { node.deadline() } <= now;
                let armed = kernel(|token| node.is_armed(token));
                assert!(!due || !armed, "{index} is late at {now}");
                let gone = self.cancelled.borrow().contains(&index);
                let used = self.armed.borrow().contains(&index);
                assert!(armed || due || gone || !used, "{index} is early at {now}");
            }
            pass();
        }
        for index in 0..self.nodes.len() {
            let woken = was_woken(PRIORITY, index as u32);
            let cancelled = self.cancelled.borrow().contains(&index);
            let armed = self.armed.borrow().contains(&index);
            assert_eq!(woken, armed && !cancelled, "{index}: one outcome");
        }
    }
}

/// Runs a scenario in every interleaving, from `begun` on, with the handler at `priority`, in which
/// `ticks` periods end at any moment, also under masks. Returns how many there are.
fn each(
    begun: u64,
    priority: u8,
    ticks: u64,
    deadlines: &[u64],
    scenario: impl Fn(&Scenario, &Rc<Timers>),
) -> usize {
    let _turn = turn(begun);
    let runs = explore(|run| {
        COUNTED.count.set(begun);
        let timers = Timers::new(deadlines);
        run.level(tick::EXCEPTION, priority, handle);
        let seen = Rc::clone(&timers);
        run.interrupt(KERNEL + 2, move || {
            for _ in 0..ticks {
                tick::end_period();
            }
            seen.read();
        });
        scenario(run, &timers);
        timers.finish(ticks, begun);
        // What the alarm was left for is nobody's.
        pass();
    });
    println!("{runs} interleavings");
    runs
}

/// Where the count's upper word changes, and elsewhere.
const BEGINNINGS: [u64; 3] = [100, (1 << 32) - 2, (1 << 32) - 1];

/// A tick ends at any moment while timers for it, and for times before and behind it, are armed and
/// cancelled.
#[test]
fn a_tick_ends_while_timers_are_armed_for_it() {
    for begun in BEGINNINGS {
        let runs = each(begun, KERNEL, 1, &[1, 0, 2, 1], |run, timers| {
            run.run(|| {
                timers.arm(2);
                timers.arm(0);
                timers.arm(1);
                timers.cancel(2);
                timers.arm(3);
            });
        });
        assert!(runs > 20 || cfg!(miri), "{runs}");
    }
}

/// A more urgent context than the handler arms for the tick that is being handled, the next, and
/// one that is past; also in the place of a timer that isn't due, and that it cancels. One that is
/// due may stand behind that.
#[test]
fn the_handler_is_interrupted_by_arming_and_cancelling() {
    const EARLY: usize = 3;
    for begun in BEGINNINGS.into_iter().take(under_miri(1, 3)) {
        for first in [1, 0, 2, 9].into_iter().take(under_miri(1, 4)) {
            for cancelled in [2, EARLY] {
                let runs = each(begun, KERNEL - 50, 1, &[first, 1, 0, 9], |run, timers| {
                    let theirs = Rc::clone(timers);
                    run.interrupt(KERNEL, move || {
                        theirs.cancel(cancelled);
                        theirs.arm(0);
                        theirs.read();
                    });
                    run.run(|| {
                        timers.arm(EARLY);
                        if cancelled == 2 {
                            timers.arm(2);
                        }
                        if first != 9 {
                            timers.arm(1);
                        }
                    });
                });
                assert!(runs > 50 || cfg!(miri), "{runs}");
            }
        }
    }
}

/// A more urgent context than the handler starts timers anew, for times that are past, present,
/// next and to come: one that isn't due, and one that is.
#[test]
fn the_handler_is_interrupted_by_starting_anew() {
    for begun in BEGINNINGS.into_iter().take(under_miri(1, 3)) {
        let starts = [[0, 1], [1, 2], [2, 0], [9, 1], [0, 9]];
        for [ticks, next] in starts.into_iter().take(under_miri(1, 5)) {
            let runs = each(begun, KERNEL - 50, 1, &[9, 1, 5], |run, timers| {
                let theirs = Rc::clone(timers);
                run.interrupt(KERNEL, move || {
                    theirs.restart(0, begun + ticks);
                    theirs.restart(1, begun + next);
                });
                run.run(|| {
                    timers.arm(0);
                    timers.arm(1);
                    timers.arm(2);
                });
            });
            assert!(runs > 50 || cfg!(miri), "{runs}");
        }
    }
}

/// Two contexts arm for times that are past, so that both want the handler at once.
#[test]
fn two_contexts_want_a_look() {
    let runs = each(7, 50, 1, &[0, 0, 3], |run, timers| {
        let theirs = Rc::clone(timers);
        run.interrupt(KERNEL, move || theirs.arm(1));
        run.run(|| {
            timers.arm(2);
            timers.arm(0);
        });
    });
    assert!(runs > 50 || cfg!(miri), "{runs}");
}

/// A more urgent context wants a look at any moment, also as the handler begins to count a tick.
/// The handler has work until the next tick ends, which it is not late for.
#[test]
fn a_look_is_wanted_beside_two_ticks() {
    const BEGUN: u64 = 100;
    let _turn = turn(BEGUN);
    let runs = explore(|run| {
        COUNTED.count.set(BEGUN);
        let timers = Timers::new(&[0]);
        let ended = Rc::new(Cell::new(0));
        let first = Rc::clone(&ended);
        run.interrupt(KERNEL + 2, move || {
            first.set(1);
            tick::end_period();
        });
        let second = Rc::clone(&ended);
        run.level(tick::EXCEPTION, KERNEL - 50, move || {
            let is_behind_the_first = second.get() == 1;
            handle();
            if is_behind_the_first {
                second.set(2);
                tick::end_period();
            }
        });
        let theirs = Rc::clone(&timers);
        run.interrupt(KERNEL, move || theirs.arm(0));
        run.run(|| timers.read());
        timers.finish(ended.get(), BEGUN);
        pass();
    });
    assert!(runs > 10 || cfg!(miri), "{runs}");
}

/// Deadlines long past, at the wrap of the word, and at the end of time.
#[test]
fn extreme_deadlines() {
    const NOW: u64 = (5 << 32) - 2;
    let _turn = turn(NOW);
    let pasts = [0, 1 << 31, NOW - (1 << 32), NOW - (1 << 31), NOW - 1, NOW];
    let coming = [NOW + 1, NOW + 2, NOW + 3, NOW + (1 << 32), u64::MAX];
    let nodes: Vec<Node> = pasts.into_iter().chain(coming).map(Node::new).collect();
    for (slot, node) in nodes.iter().enumerate().rev() {
        was_woken(PRIORITY, slot as u32);
        arm(node, slot as u32);
    }
    handle();
    let woken = || (0..nodes.len()).map(|slot| was_woken(PRIORITY, slot as u32));
    let count = || woken().filter(|woken| *woken).count();
    assert_eq!(count(), pasts.len());
    for _ in 0..3 {
        pass();
        assert_eq!(count(), 1);
    }
    assert_eq!(DRIVER.now(), NOW + 3);
    // The others' lower words come round many ticks on.
    for behind in [NOW + (1 << 32) - 1, u64::MAX / 4] {
        COUNTED.count.set(behind);
        pass();
        assert_eq!(count(), usize::from(behind < 1 << 40));
    }
    // SAFETY: the node is this test's.
    assert!(unsafe { crate::time::driver::cancel(&nodes[nodes.len() - 1]) });
}

/// The first tick behind arming takes the timer into the queue.
#[test]
fn a_timer_fires_in_its_tick() {
    let _turn = turn(41);
    let node = Node::new(44);
    was_woken(PRIORITY, 0);
    arm(&node, 0);
    let fires = [(); 4].map(|()| {
        pass();
        was_woken(PRIORITY, 0)
    });
    assert_eq!(fires, [false, false, true, false]);
    assert_eq!(DRIVER.now(), 45);
}
