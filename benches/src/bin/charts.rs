//! Group `charts`, by `quintet::state_machine`: the chart as a user writes it, in either form of
//! code.

#![no_std]
#![no_main]

use quintet::chart::prelude::*;
use quintet_bench_common::chart_rounds;
use quintet_bench_common::charts::Action::*;
use quintet_bench_common::charts::{Counts, Event};

quintet_bench_common::vectors!();

struct Chart {
    counts: Counts,
}

#[cfg_attr(
    feature = "compact",
    quintet::state_machine(initial = State::top(), visibility = "pub(self)", compact = true)
)]
#[cfg_attr(
    not(feature = "compact"),
    quintet::state_machine(initial = State::top(), visibility = "pub(self)", compact = false)
)]
impl Chart {
    #[superstate(initial = State::a(), entry_action = enter_top, exit_action = exit_top)]
    fn top(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::Up => {
                self.counts.act(Up);
                Handled
            }
            Event::Restart => {
                // `top` stays.
                Local(State::a())
            }
            _ => Super,
        }
    }

    #[superstate(
        superstate = top,
        initial = State::a1(),
        entry_action = enter_a,
        exit_action = exit_a,
    )]
    fn a() -> Outcome<State> {
        Super
    }

    #[superstate(
        superstate = top,
        initial = State::b1(),
        entry_action = enter_b,
        exit_action = exit_b,
    )]
    fn b() -> Outcome<State> {
        Super
    }

    #[state(superstate = a, entry_action = enter_a1, exit_action = exit_a1)]
    fn a1(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::Internal => {
                self.counts.act(Internal);
                Handled
            }
            Event::Own => Transition(State::a1()),
            Event::Sibling => Transition(State::a2()),
            Event::Deep => Transition(State::b1()),
            _ => Super,
        }
    }

    #[state(superstate = a, entry_action = enter_a2, exit_action = exit_a2)]
    fn a2(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::Back => Transition(State::a1()),
            _ => Super,
        }
    }

    #[state(superstate = b, entry_action = enter_b1, exit_action = exit_b1)]
    fn b1(&mut self, event: Event) -> Outcome<State> {
        match event {
            Event::Back => Transition(State::a1()),
            _ => Super,
        }
    }

    #[action]
    fn enter_top(&mut self) {
        self.counts.act(EnterTop);
    }

    #[action]
    fn exit_top(&mut self) {
        self.counts.act(ExitTop);
    }

    #[action]
    fn enter_a(&mut self) {
        self.counts.act(EnterA);
    }

    #[action]
    fn exit_a(&mut self) {
        self.counts.act(ExitA);
    }

    #[action]
    fn enter_b(&mut self) {
        self.counts.act(EnterB);
    }

    #[action]
    fn exit_b(&mut self) {
        self.counts.act(ExitB);
    }

    #[action]
    fn enter_a1(&mut self) {
        self.counts.act(EnterA1);
    }

    #[action]
    fn exit_a1(&mut self) {
        self.counts.act(ExitA1);
    }

    #[action]
    fn enter_a2(&mut self) {
        self.counts.act(EnterA2);
    }

    #[action]
    fn exit_a2(&mut self) {
        self.counts.act(ExitA2);
    }

    #[action]
    fn enter_b1(&mut self) {
        self.counts.act(EnterB1);
    }

    #[action]
    fn exit_b1(&mut self) {
        self.counts.act(ExitB1);
    }
}

#[inline(never)]
fn dispatch(machine: &mut Machine<Chart>, event: Event) {
    machine.dispatch(event);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut machine = Chart { counts: Counts::new() }.machine();
    machine.start();
    chart_rounds!(machine, dispatch, Event, |machine: &Machine<Chart>| &machine.counts)
}
