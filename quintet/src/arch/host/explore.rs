//! Every interleaving of interrupts, tried one after the other.
//!
//! On one core, an interrupt is a call that comes at some instruction and runs to its end. A more
//! urgent interrupt may interrupt this call. So the possible interruptions of a piece of kernel
//! code are a tree: at each access to a shared word, each interrupt that has not come yet and is
//! urgent enough may come now or later. [`explore`] walks the whole tree: it runs the scenario
//! again with the next set of decisions, until none is left.
//!
//! Shared words are accessed through [`words`](super::words), and pended interrupts through
//! [`pend`](super::pend); these call [`point`]. Masks hold off the same interrupts as on a target
//! with the kernel's ceiling at [`KERNEL`].

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The priority up to which the host's only ceiling holds interrupts off.
pub const KERNEL: u8 = 200;

/// The number of runs under Miri, which takes a thousand times as long.
const MIRI_RUNS: usize = match option_env!("QUINTET_MIRI_RUNS") {
    None => 25,
    Some(runs) => match usize::from_str_radix(runs, 10) {
        Ok(runs) if runs > 1 => runs,
        Ok(_) => panic!("QUINTET_MIRI_RUNS is at least 2"),
        Err(_) => panic!("QUINTET_MIRI_RUNS is a number of interleavings"),
    },
};

/// The priority of a part of another thread: it comes only if no interrupt runs, and no switch is
/// held off.
const THREAD: u8 = 0;

/// The code of an interrupt.
type Handler = Rc<dyn Fn()>;

/// One run of a scenario.
struct Run {
    /// The decision at each point with a choice. The run follows the decisions, and then always
    /// decides "no".
    decisions: RefCell<Vec<bool>>,
    /// The number of decisions made.
    made: Cell<usize>,
    /// The priority of the running code.
    priority: Cell<u8>,
    /// Interrupts of the outside world that have not come yet.
    outside: RefCell<Vec<(u8, Handler)>>,
    /// Interrupts that can be pended, by their number.
    levels: RefCell<Vec<(u16, u8, Handler)>>,
    /// The numbers of the pended interrupts.
    pended: RefCell<Vec<u16>>,
}

thread_local! {
    static RUN: RefCell<Option<Rc<Run>>> = const { RefCell::new(None) };
}

/// A scenario's hold on its run.
pub struct Scenario(Rc<Run>);

impl Scenario {
    /// Adds an interrupt of the outside world: it comes once, at any point.
    pub fn interrupt(&self, priority: u8, handler: impl Fn() + 'static) {
        self.0.outside.borrow_mut().push((priority, Rc::new(handler)));
    }

    /// Adds a part of another thread, up to its next delay: the part comes once, at any point at
    /// which a switch can come.
    pub fn thread(&self, part: impl Fn() + 'static) {
        self.interrupt(THREAD, part);
    }

    /// Adds an interrupt that runs whenever it is pended by its number and urgent enough.
    pub fn level(&self, number: u16, priority: u8, handler: impl Fn() + 'static) {
        self.0.levels.borrow_mut().push((number, priority, Rc::new(handler)));
    }

    /// Runs `body` in thread mode, then lets all interrupts come that have not come yet.
    pub fn run(&self, body: impl FnOnce()) {
        RUN.with_borrow_mut(|run| *run = Some(Rc::clone(&self.0)));
        body();
        self.0.finish();
        RUN.with_borrow_mut(|run| *run = None);
    }
}

/// Runs `scenario` once for every way in which its interrupts can come; under Miri, for some of the
/// ways. Returns the number of ways.
pub fn explore(scenario: impl Fn(&Scenario)) -> usize {
    if cfg!(miri) { some(scenario) } else { every(scenario) }
}

/// Runs `scenario` for each leaf of the tree.
fn every(scenario: impl Fn(&Scenario)) -> usize {
    let mut decisions = Vec::new();
    let mut runs = 0;
    loop {
        decisions = decide(&scenario, decisions);
        runs += 1;
        // The next leaf: the last "no" becomes a "yes".
        while decisions.pop_if(|decision| *decision).is_some() {}
        match decisions.last_mut() {
            Some(decision) => *decision = true,
            None => return runs,
        }
    }
}

/// Runs `scenario` without an interruption, and then with the first one at places that are spread
/// evenly over that run.
fn some(scenario: impl Fn(&Scenario)) -> usize {
    let points = decide(&scenario, Vec::new()).len();
    let more = points.min(MIRI_RUNS - 1);
    for number in 0..more {
        let mut decisions = vec![false; points * number / more];
        decisions.push(true);
        decide(&scenario, decisions);
    }
    1 + more
}

/// Runs `scenario` by `decisions`, and as it goes behind them. Returns all decisions of the run.
fn decide(scenario: impl Fn(&Scenario), decisions: Vec<bool>) -> Vec<bool> {
    let run = Rc::new(Run {
        decisions: RefCell::new(decisions),
        made: Cell::new(0),
        priority: Cell::new(0),
        outside: RefCell::new(Vec::new()),
        levels: RefCell::new(Vec::new()),
        pended: RefCell::new(Vec::new()),
    });
    scenario(&Scenario(Rc::clone(&run)));
    run.decisions.take()
}

/// Marks a point before an access to a shared word: interrupts may come first.
pub fn point() {
    if let Some(run) = RUN.with_borrow(Option::clone) {
        run.come();
    }
}

/// Runs a level's interrupt as soon as it is urgent enough.
pub(super) fn pend(number: u16) {
    if let Some(run) = RUN.with_borrow(Option::clone) {
        run.pended.borrow_mut().push(number);
        run.serve();
    }
}

impl Run {
    /// Lets interrupts of the outside world come, as decided, and runs the pended interrupts.
    fn come(&self) {
        self.serve();
        let mut index = 0;
        loop {
            let Some((priority, handler)) = self.outside.borrow().get(index).cloned() else {
                break;
            };
            if self.is_urgent(priority) && self.decide() {
                self.outside.borrow_mut().remove(index);
                self.call(priority, &handler);
                index = 0;
            } else {
                index += 1;
            }
        }
    }

    /// Runs the pended interrupts that are urgent enough, the most urgent first.
    fn serve(&self) {
        while let Some((number, priority, handler)) = self.most_urgent() {
            self.pended.borrow_mut().retain(|pended| *pended != number);
            self.call(priority, &handler);
        }
    }

    fn most_urgent(&self) -> Option<(u16, u8, Handler)> {
        let pended = self.pended.borrow();
        let levels = self.levels.borrow();
        let urgent = levels.iter().filter(|level| pended.contains(&level.0));
        urgent.filter(|level| self.is_urgent(level.1)).max_by_key(|level| level.1).cloned()
    }

    fn is_urgent(&self, priority: u8) -> bool {
        if priority == THREAD {
            return self.priority.get() == THREAD && !super::mask::switches_are_held_off();
        }
        priority > self.priority.get() && !(super::mask::is_held() && priority <= KERNEL)
    }

    fn call(&self, priority: u8, handler: &Handler) {
        let interrupted = self.priority.replace(priority);
        handler();
        self.serve();
        self.priority.set(interrupted);
    }

    /// Returns the decision of the tree at this branch; "no" at a new branch.
    fn decide(&self) -> bool {
        let index = self.made.replace(self.made.get() + 1);
        let mut decisions = self.decisions.borrow_mut();
        if index == decisions.len() {
            decisions.push(false);
        }
        decisions[index]
    }

    /// Lets all interrupts come that have not come, the most urgent first.
    fn finish(&self) {
        self.serve();
        loop {
            let next = {
                let mut outside = self.outside.borrow_mut();
                let most = outside.iter().enumerate().max_by_key(|(_, entry)| entry.0);
                let index = most.map(|(index, _)| index);
                index.map(|index| outside.remove(index))
            };
            let Some((priority, handler)) = next else { break };
            self.call(priority, &handler);
            self.serve();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::{KERNEL, every, explore};
    use crate::arch::words;

    /// Lets interrupts come before, between and after the accesses, nested both ways where
    /// possible.
    #[test]
    fn every_interleaving_is_tried_once() {
        let runs = every(|scenario| {
            scenario.interrupt(1, || {
                words::add(&AtomicU32::new(0), 1);
            });
            scenario.interrupt(2, || {});
            scenario.run(|| words::set(&AtomicU32::new(0), 1));
        });
        // 1 comes before the access (then 2 comes within 1, after 1, or at the end) or at the end
        // (then 2 comes before the access, at the end, or within 1).
        assert_eq!(runs, 6);
    }

    /// Loses a count of an update in two accesses, in some interleaving.
    #[test]
    fn a_torn_update_is_found() {
        let lost = std::cell::Cell::new(0);
        every(|scenario| {
            let word = std::rc::Rc::new(AtomicU32::new(0));
            let theirs = std::rc::Rc::clone(&word);
            scenario.interrupt(1, move || {
                words::add(&theirs, 1);
            });
            scenario.run(|| {
                let before = words::get(&word);
                words::put(&word, before + 1);
            });
            if word.load(Ordering::Relaxed) != 2 {
                lost.set(lost.get() + 1);
            }
        });
        assert_eq!(lost.get(), 1);
    }

    /// Holds off, by the kernel's lock, exactly the interrupts up to the ceiling.
    #[test]
    fn masks_hold_off_what_is_below_them() {
        for (priority, expected) in [(KERNEL, false), (KERNEL + 1, true)] {
            let between = std::cell::Cell::new(false);
            explore(|scenario| {
                let came = std::rc::Rc::new(AtomicU32::new(0));
                let theirs = std::rc::Rc::clone(&came);
                scenario.interrupt(priority, move || theirs.store(1, Ordering::Relaxed));
                scenario.run(|| {
                    crate::core::lock::kernel(|_| {
                        let before = came.load(Ordering::Relaxed);
                        words::add(&AtomicU32::new(0), 1);
                        let changed = came.load(Ordering::Relaxed) != before;
                        between.set(between.get() || changed);
                    });
                });
            });
            assert_eq!(between.get(), expected);
        }
    }
}
