//! Threads whose registers are full of patterns, switched by calls and by preemption, which judge
//! themselves.
//!
//! Two threads of one priority pass the processor to each other; SysTick preempts them, at another
//! place each time, in favour of a third one, and of idle when they wait. Where the target has
//! floating-point registers, two of the three and idle use them.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m_rt::{entry, exception};
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;
use shapes::registers::{kept_across, stay, stay_floating};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static FIRST, priority = 1, stack = 1024, entry = first);
quintet::thread!(static SECOND, priority = 1, stack = 1024, entry = second);
quintet::thread!(static URGENT, priority = 2, stack = 1024, entry = urgent);

/// How often SysTick interrupts until the test ends.
const INTERRUPTS: u32 = 3000;

static TICK: Semaphore = Semaphore::binary(false);
static PAUSE: Semaphore = Semaphore::binary(false);
static TICKS: AtomicU32 = AtomicU32::new(0);
/// Rounds of each thread.
static ROUNDS: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];

fn count(thread: usize) -> u32 {
    let rounds = ROUNDS[thread].load(Ordering::Relaxed) + 1;
    ROUNDS[thread].store(rounds, Ordering::Relaxed);
    rounds
}

fn first(this: &CurrentThread<'_>) {
    loop {
        let round = count(0);
        stay(0x1000_0000 + round);
        stay_floating(0x1100_0000 + round);
        kept_across(round, || this.yield_now());
        if round.is_multiple_of(16) {
            kept_across(round, || PAUSE.take().block(this));
        }
    }
}

fn second(this: &CurrentThread<'_>) {
    loop {
        stay(0x2000_0000 + count(1));
        this.yield_now();
    }
}

fn urgent(this: &CurrentThread<'_>) {
    loop {
        kept_across(0x77, || TICK.take().block(this));
        let round = count(2);
        stay_floating(0x3300_0000 + round);
        PAUSE.give();
        if round.is_multiple_of(8) {
            // Now and then both others are away, and idle runs.
            for thread in [&FIRST, &SECOND] {
                let _ = thread.suspend();
            }
        } else if round % 8 == 1 {
            for thread in [&FIRST, &SECOND] {
                thread.resume();
            }
        }
    }
}

#[exception]
fn SysTick() {
    TICKS.store(TICKS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    TICK.give();
}

#[entry]
fn main() -> ! {
    let mut core = cortex_m::Peripherals::take().expect("once");
    // SAFETY: nothing of the kernel was used before.
    unsafe {
        quintet::thread::initialise();
        core.SCB.set_priority(cortex_m::peripheral::scb::SystemHandler::SysTick, 0x80);
    }
    core.SYST.set_reload(997);
    core.SYST.clear_current();
    core.SYST.enable_interrupt();
    core.SYST.enable_counter();
    // From the second on, idle gets to the next line when both others are suspended.
    for thread in [&URGENT, &FIRST, &SECOND] {
        assert!(thread.start().is_ok());
    }
    let mut round = 0_u32;
    while TICKS.load(Ordering::Relaxed) < INTERRUPTS {
        round += 1;
        stay(0x4000_0000 + round);
        stay_floating(0x4400_0000 + round);
    }
    let rounds = [0, 1, 2].map(|thread: usize| ROUNDS[thread].load(Ordering::Relaxed));
    assert!(rounds.iter().all(|rounds| *rounds > INTERRUPTS / 4), "{rounds:?}");
    semihosting::process::exit(0)
}
