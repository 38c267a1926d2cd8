//! Group `threads` in Rivet: a turn given to an equal.

#![no_std]
#![no_main]

use core::hint::black_box;

use quintet_bench_common::{exit, mark};
use quintet_bench_rivet as _;

quintet_bench_common::vectors!();

static NOTHING: () = ();

#[cortex_m_rt::entry]
fn main() -> ! {
    rivet::init();
    rivet::spawn_ptask!(stack = 512, priority = 4, entry = low, arg = NOTHING)
        .unwrap_or_else(|_| exit(103));
    rivet::spawn_ptask!(stack = 512, priority = 4, entry = equal, arg = NOTHING)
        .unwrap_or_else(|_| exit(103));
    rivet::run()
}

fn low(_: &'static ()) -> ! {
    // The other one comes to its loop.
    rivet::yield_now();
    for _ in 0..black_box(3) {
        mark!("yield_from");
        rivet::yield_now();
    }
    exit(0)
}

fn equal(_: &'static ()) -> ! {
    loop {
        rivet::yield_now();
        mark!("yield_to");
    }
}
