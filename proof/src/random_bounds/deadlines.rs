//! Sets of tasks beside random arrivals: `quintet deadlines` calls some sets bounded, and their
//! responses in a run are never longer then.
//!
//! The tasks are the program's handlers. The main loop calls the functions with random inputs, with
//! all that they mask. Interrupts arrive at random, but never nearer than their periods.

use anyhow::Result;
use quintet_lab::deadlines::analysis::Load;
use quintet_lab::deadlines::arrivals::Arrivals;
use quintet_lab::deadlines::closing::{Bounds, Closer};
use quintet_lab::deadlines::cost::{Cost, Origin};
use quintet_lab::deadlines::plan::{Plan, Seen, Task, Times, cost_of};
use quintet_lab::deadlines::urgency;
use quintet_lab::deadlines::watch::{Wanted, Watch};
use quintet_lab::simulation::Follow;
use quintet_lab::trace::kernel::Who;
use quintet_lab::trace::units::Application;
use quintet_lab::window::Edge;
use quintet_sim::machine::Machine;

use super::examine::{FIRST_INTERRUPT, Ready};
use super::input::Input;
use super::program::HANDLERS;
use crate::random::Random;

/// The cycles of a run.
const CYCLES: u64 = 15_000;

/// A step takes no longer.
const STEP: u64 = 60;

/// The answer for a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Every response has a bound, and none was longer.
    Bounded,
    /// Something has no bound: the first gap.
    Open(String),
    /// The run was above a bound.
    Broken(String),
}

/// Arrivals of each handler's interrupt.
struct Clock {
    periods: [u64; HANDLERS],
    next: [u64; HANDLERS],
}

impl Ready<'_> {
    /// Runs a random set of tasks.
    pub fn deadlines(&mut self, functions: usize, random: &mut Random) -> Result<Answer> {
        let handlers: u64 = self.handlers.values().sum();
        // From nearly all of the processor to a small part of it.
        let base = handlers.max(100);
        let period = |random: &mut Random| base + base * u64::from(random.below(24)) / 4;
        let periods = [(); HANDLERS].map(|()| period(random));
        let first = u64::from(random.below(2000));
        let next = [(); HANDLERS].map(|()| first + u64::from(random.below(4) * random.below(200)));
        let mut clock = Clock { periods, next };
        let application = Application::default();
        let mut machine = self.machine.clone();
        machine.restore(&self.reset);
        // As start-up code may; else the program does so later, and how late is not known.
        let are_enabled = !random.one_in(4);
        if are_enabled {
            machine.processor.system.exceptions.write_enabled_word(0, 0xff, true);
        }
        let wanted = Wanted { from: Some(Edge::Place(self.places.next)), ..Wanted::default() };
        let firmware = &self.examined.firmware;
        let mut watch = Watch::new(firmware, &application, wanted, &mut machine);
        let end = machine.cycle() + CYCLES;
        while machine.cycle() < end {
            if machine.pc() == self.places.fault {
                return Ok(Answer::Open("a fault".to_owned()));
            }
            if machine.pc() == self.places.next && machine.processor.registers.ipsr == 0 {
                let number = random.below(functions as u32) as usize;
                let input = Input::new(random);
                self.places.write(&mut machine, number, &input)?;
            }
            if watch.begin.is_some() {
                clock.tick(&mut machine, random);
            }
            let stop = machine.step();
            watch.step(&mut machine, false);
            if stop.is_some() {
                return Ok(Answer::Open(format!("{stop:?}")));
            }
        }
        watch.finish();
        let bounds = self.judge(&mut watch, &machine, &application, &periods);
        Ok(answer(&bounds))
    }

    fn judge(
        &self,
        watch: &mut Watch<'_>,
        machine: &Machine,
        application: &Application,
        periods: &[u64; HANDLERS],
    ) -> Vec<Bounds> {
        let sources = std::mem::take(&mut watch.sources);
        let task = |(number, period): (usize, &u64)| {
            let exception = FIRST_INTERRUPT + number as u16;
            let who = Who::Exception(exception);
            let source = sources.get(&who).cloned().unwrap_or_default();
            let times = Times { period: *period, deadline: 1 << 40 };
            let cost = cost_of(&source)
                .unwrap_or(Cost { cycles: 0, origin: Origin::Observed { arrival: 0 } });
            let load = Load {
                urgency: urgency::of_exception(machine, exception),
                shares: false,
                cost: cost.cycles,
                arrivals: Arrivals::declared(*period, &source.arrivals()),
            };
            Task {
                name: format!("irq{number}"),
                who,
                priority: String::new(),
                declared: Some(times),
                cost,
                seen: Seen::of(&source, Some(times.deadline), machine.cycle()),
                load,
            }
        };
        let tasks = periods.iter().enumerate().map(task).collect();
        let plan = Plan { tasks, sections: Vec::new() };
        let closer = Closer {
            firmware: &self.examined.firmware,
            application,
            machine,
            analysis: &self.analysis,
            opening: watch.opening,
            has_threads: false,
        };
        closer.close(&plan).bounds()
    }
}

fn answer(bounds: &[Bounds]) -> Answer {
    if let Some(broken) = bounds.iter().flat_map(|one| &one.broken).next() {
        return Answer::Broken(broken.clone());
    }
    match bounds.iter().flat_map(|one| &one.open).next() {
        Some(gap) => Answer::Open(gap.what.clone()),
        None => Answer::Bounded,
    }
}

impl Clock {
    /// Pends what arrives now.
    fn tick(&mut self, machine: &mut Machine, random: &mut Random) {
        for number in 0..HANDLERS {
            if machine.cycle() >= self.next[number] {
                machine.pend(FIRST_INTERRUPT + number as u16);
                let late = match random.below(3) {
                    0 => u64::from(random.below(300)),
                    1 => u64::from(random.below(8)),
                    _ => 0,
                };
                // An arrival is seen behind the step in which it comes.
                self.next[number] = machine.cycle() + self.periods[number] + STEP + late;
            }
        }
    }
}
