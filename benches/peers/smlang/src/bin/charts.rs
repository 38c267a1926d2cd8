//! Group `charts` by smlang, whose machines are flat: the chart is flattened by hand. Its leaves are
//! the states, and the actions of their superstates are in the transitions; Up and Restart, which
//! the outermost state has, are transitions of every leaf.

#![no_std]
#![no_main]

use quintet_bench_common::chart_rounds;
use quintet_bench_common::charts::act;
use smlang::statemachine;

quintet_bench_common::vectors!();

statemachine! {
    transitions: {
        *A1 + Internal / one = A1,
        A1 + Own / leaf = A1,
        A1 + Sibling / leaf = A2,
        A1 + Deep / parent = B1,
        A2 + Back / leaf = A1,
        B1 + Back / parent = A1,
        _ + Up / one = _,
        _ + Restart / parent = A1,
        // Some state has to take each event; this one gets it in none of the rounds.
        B1 + Ignored = B1,
    }
}

struct Context {
    count: u32,
}

impl Context {
    #[inline(always)]
    fn acts(&mut self, times: u32) {
        for _ in 0..times {
            act(&mut self.count);
        }
    }
}

impl StateMachineContext for Context {
    fn one(&mut self) -> Result<(), ()> {
        self.acts(1);
        Ok(())
    }

    /// Out of a leaf and into one.
    fn leaf(&mut self) -> Result<(), ()> {
        self.acts(2);
        Ok(())
    }

    /// Out of a leaf and its parent, and into others.
    fn parent(&mut self) -> Result<(), ()> {
        self.acts(4);
        Ok(())
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
    let mut context = Context { count: 0 };
    context.acts(3);
    chart_rounds!(Machine::new(context), dispatch, Events, |machine: &Machine| machine.context().count)
}
