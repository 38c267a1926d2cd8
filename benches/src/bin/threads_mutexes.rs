//! Group `threads`, the rows of mutexes, reader-writer locks and fixed blocks, and of a change of
//! priority.
//!
//! The scenario is written down in `scenarios/threads.toml`.

#![no_std]
#![no_main]

use core::hint::black_box;
use portable_atomic::{AtomicU32, Ordering};

use quintet::sync::{CeilingMutex, InheritanceMutex, Operation, Pool, RwLock, Semaphore};
use quintet::thread::CurrentThread;
use quintet_bench_common::{exit, mark};

quintet_bench_common::vectors!();

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static LOW, priority = 4, stack = 768, entry = low);
quintet::thread!(static HIGH, priority = 6, stack = 512, entry = high);
quintet::thread!(static WAITING, priority = 2, stack = 256, entry = waiting);

/// Both threads lock it.
static MUTEX: InheritanceMutex<u32> = InheritanceMutex::new(0);
/// Nobody waits for these.
static FREE: InheritanceMutex<u32> = InheritanceMutex::new(0);
static FREE_CEILING: CeilingMutex<u32> = CeilingMutex::new(6, 0);
static FREE_LOCK: RwLock<u32> = RwLock::new(0);
static POOL: Pool<u32, 8> = Pool::new();
/// Lets the higher thread lock the mutex.
static TURN: Semaphore = Semaphore::new(0);
static NEVER: Semaphore = Semaphore::new(0);
/// How often the higher thread had the mutex, so that nothing is left out unseen.
static SERVED: AtomicU32 = AtomicU32::new(0);

const ROUNDS: u32 = 3;

/// What a mutex with priority inheritance takes, without its value of a word.
#[unsafe(no_mangle)]
#[used]
static MUTEX_BYTES: usize = size_of::<InheritanceMutex<u32>>() - size_of::<u32>();

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    for thread in [&WAITING, &HIGH, &LOW] {
        thread.start().unwrap_or_else(|_| exit(103));
    }
    loop {
        cortex_m::asm::wfi();
    }
}

fn high(this: &CurrentThread<'_>) {
    loop {
        TURN.take().block(this);
        mark!("mpi_blk_from");
        let guard = MUTEX.lock().block(this);
        mark!("mpi_ul_to");
        SERVED.fetch_add(*guard, Ordering::Relaxed);
    }
}

fn low(this: &CurrentThread<'_>) {
    mark!("start");
    mark!("alloc_new_from");
    let block = POOL.try_alloc(1);
    mark!("alloc_new_to");
    drop(block.unwrap_or_else(|_| exit(104)));
    for _ in 0..black_box(ROUNDS) {
        alone(this);

        let mut guard = MUTEX.lock().block(this);
        *guard = 1;
        // The higher one runs, and comes to the mutex.
        TURN.give();
        mark!("mpi_blk_to");
        mark!("mpi_ul_from");
        drop(guard);
        mark!("mpi_ul_back");

        mark!("prio_from");
        let changed = WAITING.set_priority(3);
        mark!("prio_to");
        changed.unwrap_or_else(|_| exit(104));
        let changed = WAITING.set_priority(2);
        changed.unwrap_or_else(|_| exit(104));
    }
    mark!("end");
    exit(if SERVED.load(Ordering::Relaxed) == ROUNDS { 0 } else { 105 })
}

/// What needs no switch.
#[inline(always)]
fn alone(this: &CurrentThread<'_>) {
    mark!("mtx_lock_from");
    let guard = FREE.lock().block(this);
    mark!("mtx_lock_to");
    mark!("mtx_unl_from");
    drop(guard);
    mark!("mtx_unl_to");

    mark!("mtx2_lock_from");
    let guard = FREE_CEILING.lock().block(this);
    mark!("mtx2_lock_to");
    mark!("mtx2_unl_from");
    drop(guard);
    mark!("mtx2_unl_to");

    mark!("rw_rd_from");
    let guard = FREE_LOCK.read().block(this);
    mark!("rw_rd_to");
    mark!("rw_rrd_from");
    drop(guard);
    mark!("rw_rrd_to");

    mark!("alloc_from");
    let block = POOL.try_alloc(1);
    mark!("alloc_to");
    let block = block.unwrap_or_else(|_| exit(104));
    mark!("free_from");
    drop(block);
    mark!("free_to");
}

fn waiting(this: &CurrentThread<'_>) {
    NEVER.take().block(this);
}
