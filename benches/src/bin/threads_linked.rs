//! Group `threads`, the rows of linked bytes: every service once, so that all of it is linked.
//!
//! The scenario is written down in `scenarios/threads.toml`; `threads_bare` is the same without
//! Quintet.

#![no_std]
#![no_main]

use core::hint::black_box;

use quintet::sync::{CeilingMutex, Flags, InheritanceMutex, Semaphore, Signal, ThreadFlags};
use quintet::thread::This;
use quintet::time::{Duration, SoftwareTimer};
use quintet_bench_common::device::{Interrupt, enable};
use quintet_bench_common::{exit, mark};
use quintet_benches::services::{self, Blocks, Queue};

quintet_bench_common::vectors!();

quintet::systick_tick!(Clock, 8_000_000);
quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static HIGH, priority = 4, stack = 512, entry = high);
quintet::thread!(static LOW, priority = 2, stack = 512, entry = low);

static SEMAPHORE: Semaphore = Semaphore::new(0);
static MUTEX: InheritanceMutex<u32> = InheritanceMutex::new(0);
static CEILING: CeilingMutex<u32> = CeilingMutex::new(4, 0);
static QUEUE: Queue = Queue::new();
static SIGNAL: Signal<u32> = Signal::new();
static FLAGS: Flags = Flags::new(0);
static OWN_FLAGS: ThreadFlags = ThreadFlags::new();
static POOL: Blocks = Blocks::new();
static TIMER: SoftwareTimer = SoftwareTimer::new(on_time);

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { services::initialise() };
    enable(Interrupt::TIM3, 5);
    start_clock();
    for thread in [&HIGH, &LOW] {
        if !services::start(black_box(thread)) {
            exit(103);
        }
    }
    loop {
        cortex_m::asm::wfi();
    }
}

/// A service, as those of the library: it names the clock.
#[inline(never)]
fn start_clock() {
    // SAFETY: nobody else uses them.
    Clock::start(unsafe { cortex_m::Peripherals::steal() }.SYST);
}

/// What waits.
fn high(this: &This<'_>) {
    mark!("start");
    services::take(black_box(&SEMAPHORE), this);
    services::unlock(services::lock(black_box(&MUTEX), this));
    services::unlock_ceiling(services::lock_ceiling(black_box(&CEILING), this));
    black_box(services::receive(black_box(&QUEUE), this));
    black_box(services::wait_for_signal(black_box(&SIGNAL), this));
    services::park(this);
    black_box(services::wait_for_flags(black_box(&FLAGS), black_box(1), this));
    let flags = services::own(black_box(&OWN_FLAGS), this).unwrap_or_else(|| exit(105));
    black_box(services::wait_for_own_flags(black_box(&flags), black_box(1)));
    services::delay(this, black_box(Duration::from_millis(1)));
    services::yield_now(this);
    exit(0)
}

/// What serves it.
fn low(this: &This<'_>) {
    services::start_timer(black_box(&TIMER), black_box(Duration::from_millis(1)));
    black_box(services::stop_timer(black_box(&TIMER)));
    let block = services::allocate(black_box(&POOL), black_box(1));
    services::free(block.unwrap_or_else(|| exit(106)));
    services::give(black_box(&SEMAPHORE));
    services::send(black_box(&QUEUE), black_box(1), this);
    black_box(services::try_send(black_box(&QUEUE), black_box(1)));
    services::signal(black_box(&SIGNAL), black_box(1));
    services::unpark(black_box(&HIGH));
    services::set_flags(black_box(&FLAGS), black_box(1));
    services::set_own_flags(black_box(&OWN_FLAGS), black_box(1));
    black_box(services::set_priority(black_box(&HIGH), black_box(5)));
    black_box(services::suspend(black_box(&HIGH)));
    services::resume(black_box(&HIGH));
}

/// What the timer calls.
fn on_time(_: &'static SoftwareTimer) {
    services::give(black_box(&SEMAPHORE));
}

/// Gives what the higher thread waits for.
#[unsafe(no_mangle)]
unsafe extern "C" fn TIM3() {
    services::give(black_box(&SEMAPHORE));
}
