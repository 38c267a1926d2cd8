//! Threads that sleep over a tick, with registers full of patterns, which judge themselves.
//!
//! Their delays end one at a time and together, in the next tick and in later ones, beside a timer
//! that is called in every second: whatever wakes them, none is early, and none is lost. Idle works
//! meanwhile. Where the target has floating-point registers, one of the threads and idle use them.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m_rt::entry;
use embassy_time::{Duration, Instant};
use quintet::thread::CurrentThread;
use quintet::time::SoftwareTimer;
use semihosting as _;
use shapes::registers::{kept_across, stay, stay_floating};

quintet::kernel!(hardware_priority = 0x40);
// Short ticks, as an emulator takes its time: `embassy-time` is told that there are 1000 a second.
quintet::systick_tick!(Clock, 1000 * 2000);

quintet::thread!(static FIRST, priority = 2, stack = 1024, entry = first);
quintet::thread!(static SECOND, priority = 1, stack = 1024, entry = second);

/// The delays of each thread.
const ROUNDS: u32 = 200;
/// The ticks from one call of the timer to the next.
const PERIOD: u64 = 2;

static CALLED: AtomicU32 = AtomicU32::new(0);
static TIMER: SoftwareTimer = SoftwareTimer::new(|_| {
    CALLED.store(CALLED.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
});

/// Sleeps for so many ticks.
#[inline(always)]
fn sleep(this: &CurrentThread<'_>, ticks: u32) {
    let duration = Duration::from_ticks(ticks.into());
    let deadline = Instant::now() + duration;
    this.delay(duration);
    assert!(Instant::now() >= deadline, "a delay of {ticks} ticks was short");
}

fn first(this: &CurrentThread<'_>) {
    for round in 0..ROUNDS {
        kept_across(round, || sleep(this, 1 + round % 3));
        stay_floating(0x1100_0000 + round);
    }
}

fn second(this: &CurrentThread<'_>) {
    for round in 0..ROUNDS {
        kept_across(round, || sleep(this, 1 + round % 2));
        stay(0x2000_0000 + round);
    }
}

#[entry]
fn main() -> ! {
    let core = cortex_m::Peripherals::take().expect("once");
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    Clock::start(core.SYST);
    TIMER.start_periodic(Duration::from_ticks(PERIOD));
    for thread in [&FIRST, &SECOND] {
        assert!(thread.start().is_ok());
    }
    let mut round = 0;
    while FIRST.is_alive() || SECOND.is_alive() {
        round += 1;
        stay(0x4000_0000 + round);
        stay_floating(0x4400_0000 + round);
    }
    let (ticks, called) = (Instant::now().as_ticks(), CALLED.load(Ordering::Relaxed));
    assert!(ticks / PERIOD - u64::from(called) <= 1, "{called} calls in {ticks} ticks");
    semihosting::process::exit(0)
}
