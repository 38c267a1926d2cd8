//! Group `threads`, the rows of linked bytes: every service once, so that all of it is linked.
//!
//! The scenario is written down in `scenarios/threads.toml`; `threads_bare` is the same without
//! Quintet.

#![no_std]
#![no_main]

use core::hint::black_box;

use quintet::sync::{CeilingMutex, Channel, Flags, InheritanceMutex, Pool, Semaphore, Signal};
use quintet::thread::This;
use quintet::time::{Duration, SoftwareTimer};
use quintet_bench_common::device::{Interrupt, enable};
use quintet_bench_common::{exit, mark};
use quintet_benches::time;

quintet_bench_common::vectors!();

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static HIGH, priority = 4, stack = 512, entry = high);
quintet::thread!(static LOW, priority = 2, stack = 512, entry = low);

static SEMAPHORE: Semaphore = Semaphore::new(0);
static MUTEX: InheritanceMutex<u32> = InheritanceMutex::new(0);
static CEILING: CeilingMutex<u32> = CeilingMutex::new(4, 0);
static QUEUE: Channel<u32, 8> = Channel::new();
static NOTIFICATION: Signal<u32> = Signal::new();
static FLAGS: Flags = Flags::new(0);
static POOL: Pool<u32, 8> = Pool::new();
static TIMER: SoftwareTimer = SoftwareTimer::new(|_| SEMAPHORE.give());

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    enable(Interrupt::TIM3, 5);
    time::start(5);
    for thread in [&HIGH, &LOW] {
        thread.start().unwrap_or_else(|_| exit(103));
    }
    loop {
        cortex_m::asm::wfi();
    }
}

/// What waits.
fn high(this: &This<'_>) {
    mark!("start");
    SEMAPHORE.take_blocking(this);
    black_box(*MUTEX.lock_blocking(this));
    black_box(*CEILING.lock_blocking(this));
    black_box(QUEUE.receive_blocking(this));
    black_box(NOTIFICATION.wait_blocking(this));
    black_box(FLAGS.take_any_blocking(1, this));
    this.delay(Duration::from_millis(1));
    this.yield_now();
    exit(0)
}

/// What serves it.
fn low(_: &This<'_>) {
    TIMER.start(Duration::from_millis(1));
    black_box(TIMER.stop());
    drop(black_box(POOL.try_alloc(1)));
    SEMAPHORE.give();
    black_box(QUEUE.try_send(1).is_ok());
    NOTIFICATION.signal(1);
    FLAGS.set(1);
    black_box(HIGH.set_priority(5).is_ok());
    black_box(HIGH.suspend().is_ok());
    HIGH.resume();
}

/// Gives what the higher thread waits for.
#[unsafe(no_mangle)]
unsafe extern "C" fn TIM3() {
    SEMAPHORE.give();
}
