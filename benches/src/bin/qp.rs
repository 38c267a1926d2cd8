//! Groups `qp-1` and `qp-2`: what an application note on QP measures, with threads.
//!
//! The scenarios are written down in `scenarios/qp-1.toml` and `scenarios/qp-2.toml`.

#![no_std]
#![no_main]

use core::hint::black_box;
use portable_atomic::{AtomicU32, Ordering};

use quintet::sync::{CeilingMutex, Channel, Operation, Pool, Semaphore};
use quintet::thread::CurrentThread;
use quintet::time::Duration;
use quintet_bench_common::device::{Interrupt, enable};
use quintet_bench_common::{exit, mark, pend};
use quintet_benches::time;

quintet_bench_common::vectors!();

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static LOW, priority = 2, stack = 512, entry = low);
quintet::thread!(static MIDDLE, priority = 4, stack = 512, entry = middle);
quintet::thread!(static HIGH, priority = 6, stack = 512, entry = high);

/// To the higher thread, and to the lower.
static UP: Channel<u32, 8> = Channel::new();
static DOWN: Channel<u32, 8> = Channel::new();
/// The higher thread's, the lower's.
static RISE: Semaphore = Semaphore::new(0);
static FALL: Semaphore = Semaphore::new(0);
/// From the interrupt to the higher thread.
static EVENT: Semaphore = Semaphore::new(0);

/// Nobody else has it.
static MUTEX: CeilingMutex<u32> = CeilingMutex::new(6, 0);
/// As large as QP's events at least.
static POOL: Pool<[u32; 4], 8> = Pool::new();

/// What arrived, so that nothing is left out unseen.
static SUM: AtomicU32 = AtomicU32::new(0);

const ROUNDS: u32 = 3;

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    enable(Interrupt::TIM3, 5);
    enable(Interrupt::TIM4, 5);
    time::start(5);
    for thread in [&HIGH, &MIDDLE, &LOW] {
        thread.start().unwrap_or_else(|_| exit(103));
    }
    loop {
        cortex_m::asm::wfi();
    }
}

fn count(word: u32) {
    SUM.fetch_add(word, Ordering::Relaxed);
}

/// Waits for each of the middle one's objects in turn.
fn high(this: &CurrentThread<'_>) {
    loop {
        let word = UP.receive().block(this);
        mark!("post_get_to");
        count(word);
        RISE.take().block(this);
        mark!("signal_wait_to");
        count(1);
        EVENT.take().block(this);
        mark!("recovery_b_to");
        count(1);
    }
}

/// The thread that is measured.
fn middle(this: &CurrentThread<'_>) {
    // Both others wait from here on.
    mark!("settle");
    this.delay(Duration::from_millis(1));
    mark!("start");
    for _ in 0..black_box(ROUNDS) {
        mark!("post_from");
        let sent = DOWN.try_send(1);
        mark!("post_to");
        sent.unwrap_or_else(|_| exit(104));
        mark!("post_get_from");
        let sent = UP.try_send(1);
        mark!("post_get_back");
        sent.unwrap_or_else(|_| exit(104));

        mark!("signal_wait_from");
        RISE.give();
        mark!("signal_wait_back");

        pend!("response_from", "recovery_b_back", Interrupt::TIM3);
        pend!("empty_from", "recovery_a_to", Interrupt::TIM4);

        mark!("mutex_lock_from");
        let guard = MUTEX.lock().block(this);
        mark!("mutex_lock_to");
        mark!("mutex_unlock_from");
        drop(guard);
        mark!("mutex_unlock_to");
        blocks();

        mark!("delay_block_from");
        this.delay(Duration::from_millis(1));
        mark!("delay_unblock_to");

        // The lower one has had its turn, and waits for its semaphore.
        mark!("signal_from");
        FALL.give();
        mark!("signal_to");
        this.delay(Duration::from_millis(1));
    }
    mark!("end");
    exit(if SUM.load(Ordering::Relaxed) == 5 * ROUNDS { 0 } else { 105 })
}

/// Gets a block from the pool, and puts it back.
#[inline(always)]
fn blocks() {
    mark!("get_from");
    let block = POOL.try_alloc([1; 4]);
    mark!("get_to");
    let block = block.unwrap_or_else(|_| exit(104));
    mark!("put_from");
    drop(block);
    mark!("put_to");
}

/// Runs while the middle one waits, and waits for its objects.
fn low(this: &CurrentThread<'_>) {
    loop {
        let word = DOWN.receive().block(this);
        mark!("delay_block_to");
        count(word);
        FALL.take().block(this);
        count(1);
    }
}

/// Wakes the higher thread.
#[unsafe(no_mangle)]
unsafe extern "C" fn TIM3() {
    EVENT.give();
    mark!("recovery_b_from");
}

/// The user's part is empty.
#[unsafe(no_mangle)]
unsafe extern "C" fn TIM4() {
    mark!("recovery_a_from");
}
