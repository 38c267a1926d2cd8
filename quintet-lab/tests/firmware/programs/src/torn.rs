//! A counter that thread mode and SysTick both add to, with a lock around it or without.

use crate::interrupted::{Runs, end, in_window};
use core::sync::atomic::{AtomicU32, Ordering};

static COUNTER: AtomicU32 = AtomicU32::new(0);
static TICKS: Runs = Runs::new();

/// A load, an addition and a store.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn add_one() {
    COUNTER.store(COUNTER.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

#[cortex_m_rt::exception]
fn SysTick() {
    add_one();
    TICKS.count();
}

pub fn run(locked: bool) -> ! {
    in_window(|| {
        for _ in 0..3 {
            if locked { cortex_m::interrupt::free(|_| add_one()) } else { add_one() }
        }
    });
    end(COUNTER.load(Ordering::Relaxed) == 3 + TICKS.get())
}
