//! Threads of a priority with a time slice take turns while several are ready; those of other
//! priorities don't, and nobody's section is interrupted by an equal.
#![no_std]
#![no_main]

use core::cell::UnsafeCell;
use portable_atomic::{AtomicU32, Ordering};

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::export::threads::{ThreadResource, thread_resource};
use quintet::thread::{self, CurrentThread, Slice, Thread};
use quintet::time::{Duration, Instant};
use semihosting as _;

// As `kernel!(hardware_priority = 0x20)`, but with ceilings of threads, as an application has them.
quintet::kernel!(@define 0x20, true);
quintet::systick_timer!(Clock, 12_000_000);

quintet::thread!(static FIRST, priority = 2, stack = 1024, entry = first);
quintet::thread!(static SECOND, priority = 2, stack = 1024, entry = second);
quintet::thread!(static ONE, priority = 1, stack = 1024, entry = first);
quintet::thread!(static OTHER, priority = 1, stack = 1024, entry = second);
quintet::thread!(static HOLDER, priority = 2, stack = 1024, entry = holder);
quintet::thread!(static MAIN, priority = 3, stack = 2048, entry = main_thread);

const SLICE: Duration = Duration::from_micros(500);
static SLICES: [Slice; 1] = [Slice::new(2, SLICE)];

/// Who was seen last, and how often that was another one than before.
static LAST: AtomicU32 = AtomicU32::new(0);
static TURNS: AtomicU32 = AtomicU32::new(0);

/// What threads of priority 2 share.
struct Shared;

/// Its value.
struct Place(UnsafeCell<u32>);

// SAFETY: it is reached through the resource.
unsafe impl Sync for Place {}

static PLACE: Place = Place(UnsafeCell::new(0));

impl ThreadResource for Shared {
    type Value = u32;
    const CEILING: u8 = 2;
}

/// Is seen for that long.
fn look(number: u32, long: Duration) {
    let end = Instant::now() + long;
    while Instant::now() < end {
        if LAST.swap(number, Ordering::Relaxed) != number {
            TURNS.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn first(_this: &CurrentThread<'_>) {
    look(1, SLICE * 8);
}

fn second(_this: &CurrentThread<'_>) {
    look(2, SLICE * 8);
}

/// Is seen in a section for a few slices.
fn holder(_this: &CurrentThread<'_>) {
    // SAFETY: a user of the ceiling's priority, which holds the resource once.
    unsafe { thread_resource::<Shared, _>(PLACE.0.get(), |_| look(3, SLICE * 4)) };
}

/// Lets both run to their ends; how often they took turns.
fn turns(this: &CurrentThread<'_>, one: &'static Thread, other: &'static Thread) -> u32 {
    LAST.store(0, Ordering::Relaxed);
    TURNS.store(0, Ordering::Relaxed);
    one.start().unwrap();
    other.start().unwrap();
    one.join(this).unwrap();
    other.join(this).unwrap();
    TURNS.load(Ordering::Relaxed)
}

fn main_thread(this: &CurrentThread<'_>) {
    hprintln!("before it is asked for: {} turns", turns(this, &FIRST, &SECOND));
    thread::take_turns(&SLICES);
    // For eight slices: each has four of them, or is the first to begin and the last to end.
    let taken = turns(this, &FIRST, &SECOND);
    hprintln!("with slices: {}", (7..=10).contains(&taken));
    hprintln!("at a priority without: {} turns", turns(this, &ONE, &OTHER));

    // The section takes four slices, and nobody else is seen in it. Then the other one has its
    // turn.
    let taken = turns(this, &HOLDER, &FIRST);
    hprintln!("a section and then the other: {} turns", taken);

    // Whoever is alone runs on; a second one that comes later has its turn a slice later.
    FIRST.start().unwrap();
    this.delay(SLICE * 4);
    TURNS.store(0, Ordering::Relaxed);
    SECOND.start().unwrap();
    this.delay(SLICE / 2);
    hprintln!("half a slice later: {} turns", TURNS.load(Ordering::Relaxed));
    this.delay(SLICE * 2);
    hprintln!("and then: {}", TURNS.load(Ordering::Relaxed) >= 2);
    debug::exit(debug::EXIT_SUCCESS);
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before, and the peripherals by nobody.
    let core = unsafe {
        quintet::thread::initialise();
        cortex_m::Peripherals::steal()
    };
    Clock::start(core.SYST);
    MAIN.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
