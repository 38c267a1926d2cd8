//! Group `charts` by statig, with its traits written by hand.
//!
//! Statig's macro writes the same from attributes, but takes the states from a hash table, in
//! another order in each build, and the order decides about cycles. Of all orders the one below
//! takes the fewest in all (benches/README.md, "Fairness"). Composite states have no initial
//! transitions, so that Restart names the leaf; the scenario has no figure for it.

#![no_std]
#![no_main]

use quintet_bench_common::chart_rounds;
use quintet_bench_common::charts::Action::*;
use quintet_bench_common::charts::{Counts, Event};
use statig::Outcome::{self, Handled, Super, Transition};
use statig::blocking::{self, IntoStateMachine, IntoStateMachineExt};

quintet_bench_common::vectors!();

#[derive(Default)]
struct Chart {
    counts: Counts,
}

#[derive(Clone, Copy)]
enum State {
    A1,
    A2,
    B1,
}

#[derive(Clone, Copy)]
enum Superstate {
    A,
    B,
    Top,
}

impl IntoStateMachine for Chart {
    type Event<'event> = Event;
    type Context<'context> = ();
    type State = State;
    type Superstate<'superstate> = Superstate;

    fn initial() -> State {
        State::A1
    }
}

impl blocking::State<Chart> for State {
    fn call_handler(&mut self, chart: &mut Chart, event: &Event, _: &mut ()) -> Outcome<Self> {
        match self {
            Self::A1 => chart.a1(event),
            Self::A2 => Chart::back(event),
            Self::B1 => Chart::back(event),
        }
    }

    fn call_entry_action(&mut self, chart: &mut Chart, _: &mut ()) {
        match self {
            Self::A1 => chart.counts.act(EnterA1),
            Self::A2 => chart.counts.act(EnterA2),
            Self::B1 => chart.counts.act(EnterB1),
        }
    }

    fn call_exit_action(&mut self, chart: &mut Chart, _: &mut ()) {
        match self {
            Self::A1 => chart.counts.act(ExitA1),
            Self::A2 => chart.counts.act(ExitA2),
            Self::B1 => chart.counts.act(ExitB1),
        }
    }

    fn superstate(&mut self) -> Option<Superstate> {
        match self {
            Self::A1 => Some(Superstate::A),
            Self::A2 => Some(Superstate::A),
            Self::B1 => Some(Superstate::B),
        }
    }
}

impl blocking::Superstate<Chart> for Superstate {
    fn call_handler(&mut self, chart: &mut Chart, event: &Event, _: &mut ()) -> Outcome<State> {
        match self {
            Self::A => Super,
            Self::B => Super,
            Self::Top => chart.top(event),
        }
    }

    fn call_entry_action(&mut self, chart: &mut Chart, _: &mut ()) {
        match self {
            Self::A => chart.counts.act(EnterA),
            Self::B => chart.counts.act(EnterB),
            Self::Top => chart.counts.act(EnterTop),
        }
    }

    fn call_exit_action(&mut self, chart: &mut Chart, _: &mut ()) {
        match self {
            Self::A => chart.counts.act(ExitA),
            Self::B => chart.counts.act(ExitB),
            Self::Top => chart.counts.act(ExitTop),
        }
    }

    fn superstate(&mut self) -> Option<Self> {
        match self {
            Self::A => Some(Self::Top),
            Self::B => Some(Self::Top),
            Self::Top => None,
        }
    }
}

impl Chart {
    fn top(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Up => {
                self.counts.act(Up);
                Handled
            }
            Event::Restart => {
                // The transition doesn't leave `a`, as it names the leaf.
                self.counts.all([ExitA, EnterA]);
                Transition(State::A1)
            }
            _ => Super,
        }
    }

    fn a1(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Internal => {
                self.counts.act(Internal);
                Handled
            }
            Event::Own => Transition(State::A1),
            Event::Sibling => Transition(State::A2),
            Event::Deep => Transition(State::B1),
            _ => Super,
        }
    }

    fn back(event: &Event) -> Outcome<State> {
        match event {
            Event::Back => Transition(State::A1),
            _ => Super,
        }
    }
}

type Machine = blocking::InitializedStateMachine<Chart>;

#[inline(never)]
fn dispatch(machine: &mut Machine, event: Event) {
    machine.handle(&event);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let machine = Chart::default().uninitialized_state_machine().init();
    chart_rounds!(machine, dispatch, Event, |machine: &Machine| &machine.inner().counts)
}
