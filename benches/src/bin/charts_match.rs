//! Group `charts`, by a `match` that is written by hand: what a compiler of charts can reach.
//!
//! Each leaf's way with each event stands there, exits and entries in their order. Nothing checks
//! that they are those of the chart.

#![no_std]
#![no_main]

use quintet_bench_common::chart_rounds;
use quintet_bench_common::charts::{Event, act};

quintet_bench_common::vectors!();

/// The leaves: two below `a`, one below `b`.
#[derive(Clone, Copy)]
enum Leaf {
    A1,
    A2,
    B1,
}

struct Machine {
    count: u32,
    leaf: Leaf,
}

impl Machine {
    fn new() -> Self {
        let mut machine = Self { count: 0, leaf: Leaf::A1 };
        machine.acts(3);
        machine
    }

    /// So many entries, exits and actions, one behind the other.
    #[inline(always)]
    fn acts(&mut self, times: u32) {
        for _ in 0..times {
            act(&mut self.count);
        }
    }
}

#[inline(never)]
fn dispatch(machine: &mut Machine, event: Event) {
    match (machine.leaf, event) {
        (Leaf::A1, Event::Internal) | (_, Event::Up) => machine.acts(1),
        // Out of the leaf and in again.
        (Leaf::A1, Event::Own) => machine.acts(2),
        (Leaf::A1, Event::Sibling) => {
            machine.acts(2);
            machine.leaf = Leaf::A2;
        }
        // Out of the leaf and of `a`, into `b` and its leaf.
        (Leaf::A1, Event::Deep) => {
            machine.acts(4);
            machine.leaf = Leaf::B1;
        }
        (Leaf::A2, Event::Back) => {
            machine.acts(2);
            machine.leaf = Leaf::A1;
        }
        (Leaf::B1, Event::Back) => {
            machine.acts(4);
            machine.leaf = Leaf::A1;
        }
        // Out of the leaf and its parent, into `a` and into its initial leaf.
        (_, Event::Restart) => {
            machine.acts(4);
            machine.leaf = Leaf::A1;
        }
        _ => {}
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    chart_rounds!(Machine::new(), dispatch, Event, |machine: &Machine| machine.count)
}
