//! Group `async`, the rows of time: Embassy with its executor's timer queue.
//!
//! The scenario is written down in `scenarios/async.toml`. Embassy's queue holds one time per task,
//! so that the other timers are tasks.

#![no_std]
#![no_main]

use core::hint::spin_loop;
use core::ops::Range;
use core::pin::pin;
use core::sync::atomic::{AtomicBool, Ordering};

use cortex_m_rt::entry;
use embassy_executor::{InterruptExecutor, SendSpawner, task};
use embassy_time::{Instant, Timer};
use quintet_bench_common::device::{self, Interrupt};
use quintet_bench_common::park::once;
use quintet_bench_common::{exit, mark, timer};
use quintet_bench_embassy::time;

quintet_bench_common::vectors!();

static IS_EXPIRED: AtomicBool = AtomicBool::new(false);

/// An executor for each level.
static LEVEL_1: InterruptExecutor = InterruptExecutor::new();
static LEVEL_2: InterruptExecutor = InterruptExecutor::new();
static LEVEL_3: InterruptExecutor = InterruptExecutor::new();

/// Measures with so many other timers armed.
macro_rules! phase {
    ($begin:literal, $end:literal, $others:expr, $levels:expr) => {
        let [level_1, level_2, level_3] = $levels;
        arm_others(level_3, $others);
        mark!($begin);
        measure(level_1, level_2);
        mark!($end);
    };
}

#[entry]
fn main() -> ! {
    time::start(5);
    let executors = [Interrupt::EXTI1, Interrupt::EXTI2, Interrupt::EXTI3];
    for (interrupt, priority) in executors.into_iter().zip(1..) {
        device::prioritise(interrupt, priority);
    }
    let levels = [
        LEVEL_1.start(Interrupt::EXTI1),
        LEVEL_2.start(Interrupt::EXTI2),
        LEVEL_3.start(Interrupt::EXTI3),
    ];
    #[cfg(feature = "sleepers_8")]
    for _ in 0..8 {
        levels[0].spawn(sleeper().unwrap_or_else(|_| exit(103)));
    }
    phase!("phase_1", "phase_1_end", 0..1, levels);
    phase!("phase_8", "phase_8_end", 1..8, levels);
    phase!("phase_64", "phase_64_end", 8..64, levels);
    exit(0)
}

#[inline(never)]
fn arm_others(level_3: SendSpawner, indices: Range<u64>) {
    for index in indices {
        level_3.spawn(other(index).unwrap_or_else(|_| exit(103)));
    }
}

#[inline(never)]
fn measure(level_1: SendSpawner, level_2: SendSpawner) {
    level_1.spawn(armer(timer::now() + 1000).unwrap_or_else(|_| exit(103)));
    level_1.spawn(armer(2_000_000).unwrap_or_else(|_| exit(103)));
    IS_EXPIRED.store(false, Ordering::Relaxed);
    level_2.spawn(expiring(timer::now() + 500).unwrap_or_else(|_| exit(103)));
    while !IS_EXPIRED.load(Ordering::Relaxed) {
        spin_loop();
    }
}

/// Makes an interrupt poll its executor.
macro_rules! poll {
    ($interrupt:ident, $executor:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $interrupt() {
            // SAFETY: this is the executor's interrupt, which is enabled by its start.
            unsafe { $executor.on_interrupt() }
        }
    };
}

poll!(EXTI1, LEVEL_1);
poll!(EXTI2, LEVEL_2);
poll!(EXTI3, LEVEL_3);

#[task]
async fn armer(at: u64) {
    {
        mark!("arm");
        let mut delay = pin!(Timer::at(Instant::from_ticks(at)));
        let polled = once(delay.as_mut()).await;
        mark!("armed");
        if polled.is_ready() {
            exit(105);
        }
        mark!("cancel");
    }
    mark!("cancelled");
}

#[task]
async fn expiring(at: u64) {
    Timer::at(Instant::from_ticks(at)).await;
    mark!("expired");
    IS_EXPIRED.store(true, Ordering::Relaxed);
}

#[task(pool_size = 64)]
async fn other(index: u64) {
    Timer::at(Instant::from_ticks(1_000_000 + index * 1000)).await;
}

#[cfg(feature = "sleepers_8")]
#[task(pool_size = 8)]
async fn sleeper() {
    Timer::at(Instant::from_ticks(3_000_000)).await;
}
