//! Mutexes with a ceiling, locked within each other, again, and left in another order; their owner
//! waits with them. Nobody at or below the ceiling runs beside an owner that could.
#![no_std]
#![no_main]

use campaign::doors::{Pair, enter};
use campaign::patterns::call;
use campaign::threads::{Counted, Rank, over, run};
use campaign::{Count, begin, handlers, lines};
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering};
use cortex_m_rt::entry;
use quintet::sync::thread_mutex::Recursive;
use quintet::sync::{CeilingMutex, Operation};
use quintet::thread::{CurrentThread, Thread};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 5, stack = 1024, entry = high);
quintet::thread!(static USER, priority = 4, stack = 1024, entry = user);
quintet::thread!(static PEER, priority = 2, stack = 1024, entry = peer);
quintet::thread!(static DRIVER, priority = 2, stack = 1024, entry = driver);

static THREADS: [&Thread; 4] = [&HIGH, &USER, &PEER, &DRIVER];
const PRIORITIES: [u8; 4] = [5, 4, 2, 2];

const HIGHS: usize = 0;
const USERS: usize = 1;
const PEERS: usize = 2;
const DRIVERS: usize = 3;

static RANK: Rank = Rank::new(&THREADS);
/// By thread: what it waits for before each round.
static ROUNDS: [Counted; 4] = [const { Counted::new() }; 4];

/// What may be locked again: how many sections there were.
static OUTER: CeilingMutex<Cell<u32>, Recursive> = CeilingMutex::recursive(4, Cell::new(0));
static INNER: CeilingMutex<Pair> = CeilingMutex::new(3, Pair::new());
/// Somebody has the outer mutex, and doesn't wait.
static OWNED: AtomicBool = AtomicBool::new(false);
static OUTERS: Count = Count::new();
static INNERS: Count = Count::new();

extern "C" fn take(which: u32) {
    ROUNDS[which as usize].take();
}

/// Locks the outer mutex twice.
extern "C" fn lock_again(_: u32) {
    // SAFETY: only threads call this.
    let this = unsafe { CurrentThread::new() };
    let first = OUTER.lock().block(&this);
    let number = first.get();
    let again = OUTER.lock().block(&this);
    assert!(again.get() == number, "somebody else has it");
    again.set(number + 1);
    drop(first);
    assert!(again.get() == number + 1, "somebody else had it");
    OUTERS.add();
}

/// Locks the inner mutex.
extern "C" fn lock_inner(_: u32) {
    // SAFETY: only threads call this.
    INNER.lock().block(&unsafe { CurrentThread::new() }).add(3);
    INNERS.add();
}

fn high(_: &CurrentThread<'_>) {
    loop {
        call(0x1100_0000, HIGHS as u32, take);
        enter(5);
    }
}

fn user(_: &CurrentThread<'_>) {
    loop {
        call(0x2200_0000, USERS as u32, take);
        enter(4);
        assert!(!OWNED.load(Ordering::Relaxed), "a user runs beside the owner");
        call(0x2300_0000, 0, lock_again);
    }
}

fn peer(_: &CurrentThread<'_>) {
    loop {
        call(0x3300_0000, PEERS as u32, take);
        enter(2);
        call(0x3400_0000, 0, lock_inner);
        ROUNDS[DRIVERS].give();
    }
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    RANK.enter(DRIVERS);
    // Who becomes ready at the ceiling has its turn when the owner leaves.
    let outer = OUTER.lock().block(this);
    ROUNDS[USERS].give();
    drop(outer);
    let mut inner = INNER.lock().block(this);
    drop(OUTER.lock().block(this));
    assert!(DRIVER.priority() == 3, "a ceiling took another one's with it");
    inner.with(3, || {
        assert!(DRIVER.priority() == 3, "an owner is below the ceiling");
        let outer = OUTER.lock().block(this);
        assert!(DRIVER.priority() == 4, "an owner is below the ceiling");
        call(0x4400_0000, 0, lock_again);
        assert!(DRIVER.priority() == 4, "the last guard hasn't left yet");
        OWNED.store(true, Ordering::Relaxed);
        ROUNDS[USERS].give();
        ROUNDS[HIGHS].give();
        RANK.look(DRIVERS);
        OWNED.store(false, Ordering::Relaxed);
        drop(outer);
    });
    assert!(DRIVER.priority() == 3, "an owner has kept the ceiling that it left");
    // It waits with the mutex: an equal runs, and waits for that.
    let outer = OUTER.lock().block(this);
    drop(inner);
    INNERS.add();
    assert!(DRIVER.priority() == 4, "the first to come is the first to go");
    call(0x5600_0000, 0, lock_inner);
    assert!(DRIVER.priority() == 4, "the last to come took the first one's ceiling");
    RANK.leave(DRIVERS);
    ROUNDS[PEERS].give();
    ROUNDS[USERS].give();
    call(0x5500_0000, DRIVERS as u32, take);
    RANK.enter(DRIVERS);
    OWNED.store(true, Ordering::Relaxed);
    assert!(DRIVER.priority() == 4, "an owner is below the ceiling");
    OWNED.store(false, Ordering::Relaxed);
    drop(outer);
    assert!(DRIVER.priority() == 2, "an owner has kept the ceiling that it left");
    call(0x6600_0000, 0, lock_inner);
    RANK.leave(DRIVERS);
    over();
}

fn judge() {
    for which in [HIGHS, USERS, PEERS] {
        ROUNDS[which].judge_all_taken();
    }
    ROUNDS[DRIVERS].judge();
    for (thread, priority) in THREADS.iter().zip(PRIORITIES) {
        assert!(thread.priority() == priority, "a thread has kept a ceiling");
    }
    assert!(!OUTER.is_locked() && !INNER.is_locked(), "a mutex has an owner for ever");
    let [users, peers] = [USERS, PEERS].map(|which| ROUNDS[which].taken());
    assert!(OUTERS.get() == users + 1, "a section has not ended");
    assert!(INNERS.get() == peers + 3, "a section has not ended");
}

handlers! {
    GPIOA {
        ROUNDS[USERS].give();
    }
    GPIOB {
        ROUNDS[PEERS].give();
        ROUNDS[HIGHS].give();
    }
    GPIOD {
        ROUNDS[HIGHS].give();
        ROUNDS[USERS].give();
    }
    GPIOE {
        ROUNDS[DRIVERS].give();
        ROUNDS[USERS].give();
    }
}

#[entry]
fn main() -> ! {
    run(&THREADS, judge)
}
