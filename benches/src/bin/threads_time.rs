//! Group `threads`, the rows of time: over a timer that is set.

#![no_std]
#![no_main]

use quintet_bench_common::device::Interrupt;

quintet_benches::time_scenario!(
    start = quintet_benches::time::start(5),
    settle = (),
    interrupt = Interrupt::TIM2
);
