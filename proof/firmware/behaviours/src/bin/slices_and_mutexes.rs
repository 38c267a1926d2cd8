//! Who has a mutex whenever its slice is over, and by that another priority, doesn't keep the
//! processor from its equals: their turn comes as it leaves the mutex.
#![no_std]
#![no_main]

use portable_atomic::{AtomicU32, Ordering};

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{CeilingMutex, Operation};
use quintet::thread::{CurrentThread, Slice, take_turns};
use quintet::time::{Duration, Instant};
use semihosting as _;

quintet::systick_timer!(Clock, 12_000_000);
quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static OWNER, priority = 2, stack = 1024, entry = owner);
quintet::thread!(static OTHER, priority = 2, stack = 1024, entry = other);
quintet::thread!(static THIRD, priority = 2, stack = 1024, entry = other);

static SLICES: [Slice; 1] = [Slice::new(2, Duration::from_micros(500))];
static MUTEX: CeilingMutex<u32> = CeilingMutex::new(3, 0);

/// Of sections one after the other, each of which is longer than a slice.
const SECTIONS: u32 = 20;

/// How often another one was seen than before, and who was last.
static TURNS: AtomicU32 = AtomicU32::new(0);
static LAST: AtomicU32 = AtomicU32::new(0);

fn see(number: u32) {
    if LAST.swap(number, Ordering::Relaxed) != number {
        TURNS.fetch_add(1, Ordering::Relaxed);
    }
}

/// The others have a turn behind nearly all sections.
fn judge(this: &CurrentThread<'_>, others: u32) {
    for _ in 0..SECTIONS {
        let mut sections = MUTEX.lock().block(this);
        let end = Instant::now() + Duration::from_millis(1);
        while Instant::now() < end {
            see(1);
        }
        *sections += 1;
    }
    let turns = TURNS.swap(0, Ordering::Relaxed);
    hprintln!("beside {}: {}", others, turns > SECTIONS);
}

fn owner(this: &CurrentThread<'_>) {
    OTHER.start().unwrap();
    judge(this, 1);
    THIRD.start().unwrap();
    judge(this, 2);
    debug::exit(debug::EXIT_SUCCESS);
}

fn other(this: &CurrentThread<'_>) {
    loop {
        see(if this.name() == OTHER.name() { 2 } else { 3 });
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    let core = cortex_m::Peripherals::take().unwrap();
    Clock::start(core.SYST);
    take_turns(&SLICES);
    OWNER.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
