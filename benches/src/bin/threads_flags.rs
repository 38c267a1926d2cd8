//! Group `threads`, the rows of flags that are a thread's own.
//!
//! The scenario is written down in `scenarios/threads.toml`. Behind each hand-over the higher
//! thread waits for the next flag, so that the time in which it goes to wait ends behind the lower
//! one's call.

#![no_std]
#![no_main]

use core::hint::black_box;
use portable_atomic::{AtomicU32, Ordering};

use quintet::sync::{Operation, ThreadFlags};
use quintet::thread::CurrentThread;
use quintet_bench_common::{exit, mark};

quintet_bench_common::vectors!();

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static LOW, priority = 4, stack = 512, entry = low);
quintet::thread!(static HIGH, priority = 6, stack = 512, entry = high);

/// Of the higher thread.
static FLAGS: ThreadFlags = ThreadFlags::new();
/// Of the lower one, which doesn't wait when they are set.
static FREE_FLAGS: ThreadFlags = ThreadFlags::new();

/// What arrived, so that nothing is left out unseen.
static SUM: AtomicU32 = AtomicU32::new(0);

const ROUNDS: u32 = 3;

/// What flags of a thread's own take.
#[unsafe(no_mangle)]
#[used]
static FLAGS_BYTES: usize = size_of::<ThreadFlags>();

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    for thread in [&HIGH, &LOW] {
        thread.start().unwrap_or_else(|_| exit(103));
    }
    loop {
        cortex_m::asm::wfi();
    }
}

fn high(this: &CurrentThread<'_>) {
    let flags = FLAGS.own(this).unwrap_or_else(|_| exit(104));
    loop {
        mark!("tf_blk_from");
        let word = flags.take_any(1).block(this);
        mark!("tf_sw_to");
        count(word);
    }
}

fn count(word: u32) {
    SUM.fetch_add(word, Ordering::Relaxed);
}

fn low(this: &CurrentThread<'_>) {
    let own = FREE_FLAGS.own(this).unwrap_or_else(|_| exit(104));
    mark!("start");
    for _ in 0..black_box(ROUNDS) {
        mark!("tf_sw_from");
        FLAGS.set(1);
        mark!("tf_blk_to");

        mark!("tf_set_from");
        FREE_FLAGS.set(1);
        mark!("tf_set_to");
        mark!("tf_get_from");
        let word = own.take_any(1).block(this);
        mark!("tf_get_to");
        count(word);
    }
    mark!("end");
    exit(if SUM.load(Ordering::Relaxed) == 2 * ROUNDS { 0 } else { 105 })
}
