//! Eight tasks wait for random times all day; an interrupt above the kernel's ceiling reads the
//! clock now and then. The test compares the clock with the simulator's cycles.
#![no_std]
#![no_main]

use core::cell::Cell;
use core::pin::pin;
use core::sync::atomic::{AtomicU32, Ordering};

use embassy_time::{Instant, TICK_HZ, Timer};
use time_firmware::{CLOCK_HZ, Random, enable_interrupts, run, start_clock};

/// What the test reads: the clock's last reading (low, high), how often it went back, the number of
/// timers that came, of those that came early, and the longest time that one was late, in ticks.
#[unsafe(no_mangle)]
static REPORT: [AtomicU32; 6] = [const { AtomicU32::new(0) }; 6];

/// Counts in a word, which has one writer: an ARMv6-M has no exclusive accesses.
fn add(word: usize) {
    REPORT[word].store(REPORT[word].load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Reads the clock. The test stops here, and when this returns.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn read_clock() {
    let now = Instant::now().as_ticks();
    let before = u64::from(REPORT[1].load(Ordering::Relaxed)) << 32
        | u64::from(REPORT[0].load(Ordering::Relaxed));
    if now < before {
        add(2);
    }
    REPORT[0].store(now as u32, Ordering::Relaxed);
    REPORT[1].store((now >> 32) as u32, Ordering::Relaxed);
}

/// Above the kernel's ceiling.
#[unsafe(no_mangle)]
extern "C" fn UP() {
    read_clock();
}

/// At the kernel's ceiling: holds the timer's handler off for a while.
#[unsafe(no_mangle)]
extern "C" fn KERNEL() {
    // Less than a tick, where each has to be counted.
    cortex_m::asm::delay(if cfg!(feature = "ticking") { 300 } else { 20_000 });
}

/// Waits for random times: from none to two minutes, more often short ones.
async fn wait(seed: u32) {
    let random = Cell::new(seed);
    loop {
        let mut generator = Random(random.get());
        let (bits, value) = (generator.number() % 20, generator.number());
        random.set(generator.0);
        let microseconds = u64::from(value) & ((1 << (8 + bits)) - 1);
        let deadline = Instant::now() + embassy_time::Duration::from_micros(microseconds);
        Timer::at(deadline).await;
        let now = Instant::now();
        add(3);
        if now < deadline {
            add(4);
        }
        let late = now.saturating_duration_since(deadline).as_ticks() as u32;
        REPORT[5].store(late.max(REPORT[5].load(Ordering::Relaxed)), Ordering::Relaxed);
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    const { assert!(TICK_HZ <= CLOCK_HZ as u64) };
    enable_interrupts();
    start_clock();
    run(&mut [
        pin!(wait(1)),
        pin!(wait(22)),
        pin!(wait(333)),
        pin!(wait(4444)),
        pin!(wait(55555)),
        pin!(wait(666_666)),
        pin!(wait(7_777_777)),
        pin!(wait(88_888_888)),
    ])
}
