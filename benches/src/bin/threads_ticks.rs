//! Group `threads`, the rows of time: over a tick of 1 kHz, as other kernels have.

#![no_std]
#![no_main]

use quintet::time::Instant;

quintet::systick_tick!(Clock, 8_000_000);

/// Starts the clock.
fn start() {
    let peripherals = cortex_m::Peripherals::take();
    Clock::start(peripherals.unwrap_or_else(|| quintet_bench_common::exit(104)).SYST);
}

/// Waits for a tick: the next comes 8000 cycles behind it.
fn settle() {
    let now = Instant::now();
    while Instant::now() == now {
        spin_loop();
    }
}

quintet_benches::time_scenario!(start = start(), settle = settle(), interrupt = SysTick);
