//! Group `charts` by smlang, whose machines are flat: the chart is flattened by hand. Its leaves
//! are the states, and the actions of their superstates are in the transitions; Up and Restart,
//! which the outermost state has, are transitions of every leaf.

#![no_std]
#![no_main]

use quintet_bench_common::chart_rounds;
use quintet_bench_common::charts::Action::{self, *};
use quintet_bench_common::charts::Counts;
use smlang::statemachine;

quintet_bench_common::vectors!();

statemachine! {
    transitions: {
        *A1 + Internal / internal = A1,
        A1 + Own / own = A1,
        A1 + Sibling / sibling = A2,
        A1 + Deep / deep = B1,
        A2 + Back / back_from_a2 = A1,
        B1 + Back / back_from_b1 = A1,
        A1 + Restart / restart_from_a1 = A1,
        A2 + Restart / restart_from_a2 = A1,
        B1 + Restart / restart_from_b1 = A1,
        _ + Up / up = _,
        // Some state has to take each event; this one gets it in none of the rounds.
        B1 + Ignored = B1,
    }
}

struct Context {
    counts: Counts,
}

impl Context {
    #[inline(always)]
    fn all<const N: usize>(&mut self, actions: [Action; N]) -> Result<(), ()> {
        self.counts.all(actions);
        Ok(())
    }
}

impl StateMachineContext for Context {
    fn internal(&mut self) -> Result<(), ()> {
        self.all([Internal])
    }

    fn up(&mut self) -> Result<(), ()> {
        self.all([Up])
    }

    fn own(&mut self) -> Result<(), ()> {
        self.all([ExitA1, EnterA1])
    }

    fn sibling(&mut self) -> Result<(), ()> {
        self.all([ExitA1, EnterA2])
    }

    fn deep(&mut self) -> Result<(), ()> {
        self.all([ExitA1, ExitA, EnterB, EnterB1])
    }

    fn back_from_a2(&mut self) -> Result<(), ()> {
        self.all([ExitA2, EnterA1])
    }

    fn back_from_b1(&mut self) -> Result<(), ()> {
        self.all([ExitB1, ExitB, EnterA, EnterA1])
    }

    fn restart_from_a1(&mut self) -> Result<(), ()> {
        self.all([ExitA1, ExitA, EnterA, EnterA1])
    }

    fn restart_from_a2(&mut self) -> Result<(), ()> {
        self.all([ExitA2, ExitA, EnterA, EnterA1])
    }

    fn restart_from_b1(&mut self) -> Result<(), ()> {
        self.all([ExitB1, ExitB, EnterA, EnterA1])
    }
}

type Machine = StateMachine<Context>;

#[inline(never)]
fn dispatch(machine: &mut Machine, event: Events) {
    // An event that no transition takes is an error, which nobody looks at.
    let _ = machine.process_event(event);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut counts = Counts::new();
    counts.all([EnterTop, EnterA, EnterA1]);
    let machine = Machine::new(Context { counts });
    chart_rounds!(machine, dispatch, Events, |machine: &Machine| &machine.context().counts)
}
