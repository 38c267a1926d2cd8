//! Group `charts`, by a `match` that is written by hand: what a compiler of charts can reach.
//!
//! Each leaf's way with each event stands there, exits and entries in their order. No compiler
//! checks that they are those of the chart.

#![no_std]
#![no_main]

use quintet_bench_common::chart_rounds;
use quintet_bench_common::charts::Action::*;
use quintet_bench_common::charts::{Counts, Event};

quintet_bench_common::vectors!();

/// The leaves: two below `a`, one below `b`.
#[derive(Clone, Copy)]
enum Leaf {
    A1,
    A2,
    B1,
}

struct Machine {
    counts: Counts,
    leaf: Leaf,
}

#[inline(never)]
fn dispatch(Machine { counts, leaf }: &mut Machine, event: Event) {
    match (*leaf, event) {
        (Leaf::A1, Event::Internal) => counts.act(Internal),
        (_, Event::Up) => counts.act(Up),
        (Leaf::A1, Event::Own) => counts.all([ExitA1, EnterA1]),
        (Leaf::A1, Event::Sibling) => {
            counts.all([ExitA1, EnterA2]);
            *leaf = Leaf::A2;
        }
        (Leaf::A1, Event::Deep) => {
            counts.all([ExitA1, ExitA, EnterB, EnterB1]);
            *leaf = Leaf::B1;
        }
        (Leaf::A2, Event::Back) => {
            counts.all([ExitA2, EnterA1]);
            *leaf = Leaf::A1;
        }
        (Leaf::B1, Event::Back) => {
            counts.all([ExitB1, ExitB, EnterA, EnterA1]);
            *leaf = Leaf::A1;
        }
        (Leaf::A1, Event::Restart) => counts.all([ExitA1, ExitA, EnterA, EnterA1]),
        (Leaf::A2, Event::Restart) => {
            counts.all([ExitA2, ExitA, EnterA, EnterA1]);
            *leaf = Leaf::A1;
        }
        (Leaf::B1, Event::Restart) => {
            counts.all([ExitB1, ExitB, EnterA, EnterA1]);
            *leaf = Leaf::A1;
        }
        _ => {}
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut counts = Counts::new();
    counts.all([EnterTop, EnterA, EnterA1]);
    chart_rounds!(Machine { counts, leaf: Leaf::A1 }, dispatch, Event, |machine: &Machine| &machine
        .counts)
}
