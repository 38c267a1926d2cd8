//! Group `threads` in Rivet: mutexes.

#![no_std]
#![no_main]

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};

use quintet_bench_common::{exit, mark};
use quintet_bench_rivet as _;
use rivet::preempt::PriorityMutex;

quintet_bench_common::vectors!();

static NOTHING: () = ();
/// Both tasks lock it.
static MUTEX: PriorityMutex<u32> = PriorityMutex::new(0);
/// Nobody waits for it.
static FREE: PriorityMutex<u32> = PriorityMutex::new(0);
/// The rounds in which the lower task has locked, and the higher one has come to the mutex.
static LOCKED: AtomicU32 = AtomicU32::new(0);
static COMING: AtomicU32 = AtomicU32::new(0);

const ROUNDS: u32 = 3;

#[cortex_m_rt::entry]
fn main() -> ! {
    rivet::init();
    rivet::spawn_ptask!(stack = 512, priority = 4, entry = low, arg = NOTHING)
        .unwrap_or_else(|_| exit(103));
    rivet::spawn_ptask!(stack = 512, priority = 6, entry = high, arg = NOTHING)
        .unwrap_or_else(|_| exit(103));
    rivet::run()
}

/// Its semaphores are for async tasks: the higher task looks once in a tick whether it is its turn.
fn high(_: &'static ()) -> ! {
    let mut round = 0;
    loop {
        while LOCKED.load(Ordering::Relaxed) == round {
            rivet::preempt::sleep_ms(1);
        }
        round += 1;
        COMING.store(round, Ordering::Relaxed);
        mark!("mpi_blk_from");
        let guard = MUTEX.lock();
        mark!("mpi_ul_to");
        drop(guard);
    }
}

fn low(_: &'static ()) -> ! {
    for round in 1..=black_box(ROUNDS) {
        mark!("mtx_lock_from");
        let guard = FREE.lock();
        mark!("mtx_lock_to");
        mark!("mtx_unl_from");
        drop(guard);
        mark!("mtx_unl_to");

        let guard = MUTEX.lock();
        LOCKED.store(round, Ordering::Relaxed);
        while COMING.load(Ordering::Relaxed) != round {
            mark!("mpi_blk_to");
        }
        mark!("mpi_ul_from");
        drop(guard);
    }
    exit(0)
}
