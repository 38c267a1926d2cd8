//! Threads that wait at a barrier, and for memory of a pool, until a time, while the last to arrive
//! and blocks that come back do so at any moment: a wait has one outcome, an arrival whose time was
//! up counts no more, and no block is lost.
#![no_std]
#![no_main]

use campaign::threads::{over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use embassy_time::{Duration, Instant};
use quintet::sync::{Barrier, Operation, Pool};
use quintet::thread::{CurrentThread, Thread};

/// A tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::kernel!(hardware_priority = 0x40);
// The last two of the lines interrupt its handler.
quintet::systick_timer!(Clock, HZ, priority = 3, priority_bits = 3);

quintet::thread!(static PARTY, priority = 5, stack = 1024, entry = party);
quintet::thread!(static ALLOCATOR, priority = 4, stack = 1024, entry = allocator);
quintet::thread!(static DRIVER, priority = 2, stack = 1024, entry = driver);

static WAITERS: [&Thread; 2] = [&PARTY, &ALLOCATOR];

/// How often each waits.
const WAITS: u32 = 3;

static BARRIER: Barrier = Barrier::new(2);
static POOL: Pool<u32, 1> = Pool::new();
/// Who has arrived, once each, and whose time was up.
static ARRIVED: Count = Count::new();
static LATE: Count = Count::new();
/// Rounds: each has one last.
static ROUNDS: Count = Count::new();
/// By thread: waits that are over.
static ENDED: [Count; 2] = [const { Count::new() }; 2];

fn deadline(round: u32) -> Instant {
    Instant::now() + Duration::from_ticks(250 + 150 * u64::from(round))
}

/// Somebody arrives who doesn't wait.
fn arrive() {
    ARRIVED.add();
    if BARRIER.arrive() {
        ROUNDS.add();
    }
}

fn party(this: &CurrentThread<'_>) {
    for round in 0..WAITS {
        ARRIVED.add();
        let until = deadline(round);
        match BARRIER.wait().block_until(this, until) {
            Ok(is_last) => {
                if is_last {
                    ROUNDS.add();
                }
            }
            Err(_) => {
                assert!(Instant::now() >= until, "early");
                LATE.add();
            }
        }
        ENDED[0].add();
    }
}

fn allocator(this: &CurrentThread<'_>) {
    for round in 0..WAITS {
        let until = deadline(round);
        match POOL.alloc(round).block_until(this, until) {
            Ok(block) => assert!(*block == round, "another block"),
            Err(refused) => {
                assert!(refused.0 == round, "another value");
                assert!(Instant::now() >= until, "early");
            }
        }
        ENDED[1].add();
    }
}

/// Has the memory for a while.
fn take_memory() {
    drop(POOL.try_alloc(100));
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    let block = POOL.try_alloc(200);
    for thread in WAITERS {
        assert!(thread.start().is_ok());
    }
    this.delay(Duration::from_ticks(300));
    drop(block);
    arrive();
    for thread in WAITERS {
        assert!(thread.join(this).is_ok());
    }
    over();
}

fn judge() {
    for ended in &ENDED {
        assert!(ended.get() == WAITS, "a wait has no end, or two");
    }
    assert!(POOL.try_alloc(300).is_ok(), "a block is lost");
    // Two in each round, and one in what has begun.
    let here = ARRIVED.get() - LATE.get();
    assert!(here / 2 == ROUNDS.get(), "a round has no last, or two");
    if here % 2 == 1 {
        assert!(BARRIER.arrive(), "an arrival is lost");
    } else {
        assert!(!BARRIER.arrive(), "an arrival is left over");
    }
}

handlers! {
    GPIOA {
        arrive();
    }
    GPIOB {
        take_memory();
    }
    // A waiter whose time is up, or that is granted something, while it is suspended.
    GPIOD {
        let _running = PARTY.suspend();
        arrive();
        PARTY.resume();
    }
    GPIOE {
        let priority = if ALLOCATOR.base_priority() == 4 { 6 } else { 4 };
        assert!(ALLOCATOR.set_priority(priority).is_ok());
        take_memory();
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nobody else uses the peripherals.
    Clock::start(unsafe { cortex_m::Peripherals::steal() }.SYST);
    run(&[&DRIVER], judge)
}
