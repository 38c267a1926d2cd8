//! Group `threads`, the rows of time: over a tick of 1 kHz, as other kernels have.

#![no_std]
#![no_main]

quintet::systick_tick!(Clock, 8_000_000);

/// Starts the clock.
fn start() {
    let peripherals = cortex_m::Peripherals::take();
    Clock::start(peripherals.unwrap_or_else(|| quintet_bench_common::exit(104)).SYST);
}

quintet_benches::time_scenario!(start = start(), interrupt = SysTick);
