//! Priorities that change: of the thread that runs, of those that are ready, wait, or have a mutex
//! that others wait for. Whoever runs is the most urgent, and whoever is served first was.
#![no_std]
#![no_main]

use campaign::patterns::{call, steps};
use campaign::threads::{Rank, over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use quintet::sync::{InheritanceMutex, Operation, Semaphore};
use quintet::thread::{CurrentThread, Thread};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static ODD, priority = 3, stack = 1024, entry = waiter::<0>);
quintet::thread!(static EVEN, priority = 4, stack = 1024, entry = waiter::<1>);
quintet::thread!(static LOCKER, priority = 10, stack = 1024, entry = locker);
quintet::thread!(static BUSY, priority = 6, stack = 1024, entry = busy);
quintet::thread!(static DRIVER, priority = 8, stack = 1024, entry = driver);

static THREADS: [&Thread; 5] = [&ODD, &EVEN, &LOCKER, &BUSY, &DRIVER];
const BUSY_INDEX: usize = 3;
const DRIVER_INDEX: usize = 4;

static RANK: Rank = Rank::new(&THREADS);
/// What the odd and the even one wait for: they never have the same priority.
static PERMITS: Semaphore = Semaphore::new(0);
/// Of these: who was due, and who was served.
static DUE: [Count; 2] = [const { Count::new() }; 2];
static SERVED: [Count; 2] = [const { Count::new() }; 2];
/// What the driver has, and the locker waits for.
static MUTEX: InheritanceMutex<u32> = InheritanceMutex::new(0);
static LOCK: Semaphore = Semaphore::new(0);

extern "C" fn take(_: u32) {
    // SAFETY: only threads call this.
    PERMITS.take().block(&unsafe { CurrentThread::new() });
}

/// Waits again and again, and does nothing else.
fn waiter<const WHICH: usize>(_: &CurrentThread<'_>) {
    loop {
        call(0x1100_0000 + ((WHICH as u32) << 16), 0, take);
        SERVED[WHICH].add();
    }
}

fn locker(this: &CurrentThread<'_>) {
    LOCK.take().block(this);
    *MUTEX.lock().block(this) += 1;
}

/// Gives a permit to whoever is the more urgent of the two, if both wait: if the driver runs, which
/// is less urgent than either.
fn give() {
    cortex_m::interrupt::free(|_| {
        let [odd, even] = [&ODD, &EVEN].map(|thread| thread.priority());
        if DRIVER.priority() < odd.min(even) {
            DUE[usize::from(even > odd)].add();
            PERMITS.give();
        }
    });
}

/// Another priority for a thread: `low` and `high` in turn.
fn change(thread: &'static Thread, low: u8, high: u8) {
    let priority = if thread.base_priority() == low { high } else { low };
    assert!(thread.set_priority(priority).is_ok());
}

/// It is ready all the time.
fn busy(_: &CurrentThread<'_>) {
    RANK.enter(BUSY_INDEX);
    for round in 0..2 {
        steps(0xa0a0_1000 + (round << 28));
        RANK.look(BUSY_INDEX);
    }
    // Its own.
    assert!(BUSY.set_priority(7).is_ok());
    RANK.look(BUSY_INDEX);
    assert!(BUSY.set_priority(6).is_ok());
    RANK.leave(BUSY_INDEX);
}

fn driver(this: &CurrentThread<'_>) {
    // Nobody else of the lower ones has run yet.
    assert!(DRIVER.set_priority(1).is_ok() && DRIVER.set_priority(8).is_ok());
    lines::enable_four();
    begin();
    RANK.enter(DRIVER_INDEX);
    let mut value = MUTEX.lock().block(this);
    LOCK.give();
    assert!(DRIVER.priority() >= 10, "an owner has not inherited");
    assert!(BUSY.start().is_ok());
    // It keeps what it inherits.
    assert!(DRIVER.set_priority(5).is_ok());
    RANK.look(DRIVER_INDEX);
    assert!(DRIVER.priority() >= 10, "an owner has lost what it inherited");
    *value += 1;
    drop(value);
    RANK.look(DRIVER_INDEX);
    assert!(DRIVER.set_priority(1).is_ok());
    RANK.look(DRIVER_INDEX);
    give();
    RANK.leave(DRIVER_INDEX);
    assert!(BUSY.join(this).is_ok());
    RANK.enter(DRIVER_INDEX);
    give();
    change(&ODD, 3, 5);
    give();
    RANK.leave(DRIVER_INDEX);
    over();
}

fn judge() {
    for (due, served) in DUE.iter().zip(&SERVED) {
        assert!(due.get() == served.get(), "the less urgent was served first, or nobody");
    }
    assert!(PERMITS.available() == 0, "a permit is left, and somebody waits");
    for thread in &THREADS[2..] {
        assert!(!thread.is_alive(), "a thread has not ended");
    }
    assert!(THREADS.iter().all(|thread| thread.priority() == thread.base_priority()));
}

handlers! {
    // Those who wait, or are about to be served.
    GPIOA {
        change(&ODD, 3, 5);
        change(&EVEN, 4, 2);
    }
    // Who is ready, or runs.
    GPIOB {
        change(&BUSY, 6, 9);
    }
    // Who has the mutex, runs, or waits for the end of another one.
    GPIOD {
        change(&DRIVER, 1, 9);
    }
    // Who waits for the mutex, and who waits for the other object.
    GPIOE {
        change(&LOCKER, 10, 12);
        change(&ODD, 3, 5);
    }
}

#[entry]
fn main() -> ! {
    run(&THREADS, judge)
}
