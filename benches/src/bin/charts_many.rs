//! Group `charts`: what states and events more take, as a machine of 80 leaves in 8 groups, and
//! with the feature `few` one of 4 leaves in 2 groups, built for size.
//!
//! `Next` leads from each leaf to the next one of its group, `Far` to the same leaf of the next
//! group, `Group` from each group to the next one, and each further event from everywhere to a
//! leaf.

#![no_std]
#![no_main]

use core::hint::black_box;

use quintet::chart::prelude::*;

quintet_bench_common::vectors!();

/// Counts entries and exits.
struct Chart {
    counts: [u32; 2],
}

impl Chart {
    #[inline(always)]
    fn count(&mut self, place: usize) {
        let count = &raw mut self.counts[place];
        // SAFETY: it points into the array, which is borrowed.
        unsafe { count.write_volatile(count.read_volatile() + 1) }
    }
}

macro_rules! chart {
    (
        compact: $compact:tt, first: $first:ident,
        top { $(($event:ident $to:ident))* }
        $($group:ident to $other:ident { $(($leaf:ident $next:ident $far:ident))* })*
    ) => {
        #[derive(Clone, Copy)]
        enum Event { Next, Far, Group, $($event),* }

        /// All of them.
        const EVENTS: &[Event] = &[Event::Next, Event::Far, Event::Group, $(Event::$event),*];

        #[quintet::state_machine(
            initial = State::$first(),
            compact = $compact,
            visibility = "pub(self)"
        )]
        impl Chart {
            #[superstate(entry_action = enter, exit_action = exit)]
            fn top(event: &Event) -> Outcome<State> {
                match event { $(Event::$event => Transition(State::$to()),)* _ => Super }
            }

            $(
                #[superstate(superstate = top, entry_action = enter, exit_action = exit)]
                fn $group(event: &Event) -> Outcome<State> {
                    match event { Event::Group => Transition(State::$other()), _ => Super }
                }

                $(
                    #[state(superstate = $group, entry_action = enter, exit_action = exit)]
                    fn $leaf(event: &Event) -> Outcome<State> {
                        match event {
                            Event::Next => Transition(State::$next()),
                            Event::Far => Transition(State::$far()),
                            _ => Super,
                        }
                    }
                )*
            )*

            #[action]
            fn enter(&mut self) { self.count(0); }

            #[action]
            fn exit(&mut self) { self.count(1); }
        }
    };
}

macro_rules! form {
    ($($chart:tt)*) => {
        #[cfg(feature = "compact")]
        chart! { compact: true, first: g0_0, $($chart)* }
        #[cfg(not(feature = "compact"))]
        chart! { compact: false, first: g0_0, $($chart)* }
    };
}

#[cfg(feature = "few")]
form! {
    top {
        (E0 g0_0) (E1 g1_1)
    }
    g0 to g1_0 {
        (g0_0 g0_1 g1_0) (g0_1 g0_0 g1_1)
    }
    g1 to g0_0 {
        (g1_0 g1_1 g0_0) (g1_1 g1_0 g0_1)
    }
}

#[cfg(not(feature = "few"))]
form! {
    top {
        (E0 g0_0) (E1 g1_1) (E2 g2_2) (E3 g3_3)
        (E4 g4_4) (E5 g5_5) (E6 g6_6) (E7 g7_7)
        (E8 g0_8) (E9 g1_9) (E10 g2_0) (E11 g3_1)
    }
    g0 to g1_0 {
        (g0_0 g0_1 g1_0) (g0_1 g0_2 g1_1) (g0_2 g0_3 g1_2) (g0_3 g0_4 g1_3)
        (g0_4 g0_5 g1_4) (g0_5 g0_6 g1_5) (g0_6 g0_7 g1_6) (g0_7 g0_8 g1_7)
        (g0_8 g0_9 g1_8) (g0_9 g0_0 g1_9)
    }
    g1 to g2_0 {
        (g1_0 g1_1 g2_0) (g1_1 g1_2 g2_1) (g1_2 g1_3 g2_2) (g1_3 g1_4 g2_3)
        (g1_4 g1_5 g2_4) (g1_5 g1_6 g2_5) (g1_6 g1_7 g2_6) (g1_7 g1_8 g2_7)
        (g1_8 g1_9 g2_8) (g1_9 g1_0 g2_9)
    }
    g2 to g3_0 {
        (g2_0 g2_1 g3_0) (g2_1 g2_2 g3_1) (g2_2 g2_3 g3_2) (g2_3 g2_4 g3_3)
        (g2_4 g2_5 g3_4) (g2_5 g2_6 g3_5) (g2_6 g2_7 g3_6) (g2_7 g2_8 g3_7)
        (g2_8 g2_9 g3_8) (g2_9 g2_0 g3_9)
    }
    g3 to g4_0 {
        (g3_0 g3_1 g4_0) (g3_1 g3_2 g4_1) (g3_2 g3_3 g4_2) (g3_3 g3_4 g4_3)
        (g3_4 g3_5 g4_4) (g3_5 g3_6 g4_5) (g3_6 g3_7 g4_6) (g3_7 g3_8 g4_7)
        (g3_8 g3_9 g4_8) (g3_9 g3_0 g4_9)
    }
    g4 to g5_0 {
        (g4_0 g4_1 g5_0) (g4_1 g4_2 g5_1) (g4_2 g4_3 g5_2) (g4_3 g4_4 g5_3)
        (g4_4 g4_5 g5_4) (g4_5 g4_6 g5_5) (g4_6 g4_7 g5_6) (g4_7 g4_8 g5_7)
        (g4_8 g4_9 g5_8) (g4_9 g4_0 g5_9)
    }
    g5 to g6_0 {
        (g5_0 g5_1 g6_0) (g5_1 g5_2 g6_1) (g5_2 g5_3 g6_2) (g5_3 g5_4 g6_3)
        (g5_4 g5_5 g6_4) (g5_5 g5_6 g6_5) (g5_6 g5_7 g6_6) (g5_7 g5_8 g6_7)
        (g5_8 g5_9 g6_8) (g5_9 g5_0 g6_9)
    }
    g6 to g7_0 {
        (g6_0 g6_1 g7_0) (g6_1 g6_2 g7_1) (g6_2 g6_3 g7_2) (g6_3 g6_4 g7_3)
        (g6_4 g6_5 g7_4) (g6_5 g6_6 g7_5) (g6_6 g6_7 g7_6) (g6_7 g6_8 g7_7)
        (g6_8 g6_9 g7_8) (g6_9 g6_0 g7_9)
    }
    g7 to g0_0 {
        (g7_0 g7_1 g0_0) (g7_1 g7_2 g0_1) (g7_2 g7_3 g0_2) (g7_3 g7_4 g0_3)
        (g7_4 g7_5 g0_4) (g7_5 g7_6 g0_5) (g7_6 g7_7 g0_6) (g7_7 g7_8 g0_7)
        (g7_8 g7_9 g0_8) (g7_9 g7_0 g0_9)
    }
}

#[inline(never)]
fn dispatch(machine: &mut Machine<Chart>, event: Event) {
    machine.dispatch(&event);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut machine = Chart { counts: [0; 2] }.machine();
    machine.start();
    for event in black_box(EVENTS) {
        dispatch(&mut machine, *event);
    }
    // Three states are entered at the start, and three are active at the end.
    let [entered, left] = machine.counts;
    quintet_bench_common::exit(if entered == left + 3 { 0 } else { 105 })
}
