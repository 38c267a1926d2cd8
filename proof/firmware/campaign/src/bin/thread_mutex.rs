//! Mutexes with inheritance: contended, handed over, and in a chain of owners. Nobody who has
//! nothing to do with them runs while somebody more urgent waits for one.
#![no_std]
#![no_main]

use campaign::doors::Pair;
use campaign::patterns::call;
use campaign::threads::{Counted, Rank, over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use quintet::sync::{InheritanceMutex, LockError, Operation};
use quintet::thread::{CurrentThread, Thread};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 5, stack = 1024, entry = high);
quintet::thread!(static MIDDLE, priority = 4, stack = 1024, entry = middle);
quintet::thread!(static PEER, priority = 3, stack = 1024, entry = peer);
quintet::thread!(static DRIVER, priority = 3, stack = 1024, entry = driver);
quintet::thread!(static LOW, priority = 2, stack = 1024, entry = low);

static THREADS: [&Thread; 5] = [&HIGH, &MIDDLE, &PEER, &DRIVER, &LOW];
const PRIORITIES: [u8; 5] = [5, 4, 3, 3, 2];

const HIGHS: usize = 0;
const MIDDLES: usize = 1;
const PEERS: usize = 2;
const DRIVERS: usize = 3;
const LOWS: usize = 4;

static RANK: Rank = Rank::new(&THREADS);
/// By thread: what it waits for before each round.
static ROUNDS: [Counted; 5] = [const { Counted::new() }; 5];

/// The two mutexes. Whoever has the outer one may lock the inner one.
static MUTEXES: [InheritanceMutex<Pair>; 2] = [const { InheritanceMutex::new(Pair::new()) }; 2];
const OUTER: usize = 0;
const INNER: usize = 1;
/// Sections of each.
static SECTIONS: [Count; 2] = [const { Count::new() }; 2];

extern "C" fn take(which: u32) {
    ROUNDS[which as usize].take();
}

/// Locks a mutex, and does something with it.
fn with(which: usize, section: impl FnOnce()) {
    // SAFETY: only threads call this.
    let this = unsafe { CurrentThread::new() };
    let mut pair = MUTEXES[which].lock().block(&this);
    pair.begin();
    section();
    pair.end();
    SECTIONS[which].add();
}

extern "C" fn lock(which: u32) {
    with(which as usize, || ());
}

/// A thread's rounds: `act` is told which thread it is.
fn serve(which: usize, act: impl Fn()) -> ! {
    loop {
        call(0x1100_0000 + ((which as u32) << 16), which as u32, take);
        RANK.enter(which);
        act();
        RANK.leave(which);
    }
}

/// Locks what another thread has, which is busy, and so are those behind it in the chain.
fn lock_busy(which: usize, mutex: usize) {
    // It is as urgent as who waits: the waiting thread needn't be busy itself.
    RANK.leave(which);
    call(0x2200_0000 + ((which as u32) << 16), mutex as u32, lock);
    RANK.enter(which);
}

fn high(_: &CurrentThread<'_>) {
    serve(HIGHS, || lock_busy(HIGHS, OUTER));
}

fn middle(_: &CurrentThread<'_>) {
    serve(MIDDLES, || ());
}

fn peer(_: &CurrentThread<'_>) {
    serve(PEERS, || with(OUTER, || lock_busy(PEERS, INNER)));
}

fn low(_: &CurrentThread<'_>) {
    serve(LOWS, || with(INNER, || ROUNDS[DRIVERS].give()));
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    RANK.enter(DRIVERS);
    with(INNER, || {
        // 1. The equal has the outer mutex, and waits for the inner one.
        ROUNDS[PEERS].give();
        this.yield_now();
        assert!(MUTEXES[OUTER].is_locked(), "an equal has not run");
        // 2. The most urgent waits for the outer one: along the chain, the driver inherits.
        ROUNDS[HIGHS].give();
        assert!(DRIVER.priority() == 5 && PEER.priority() == 5, "an owner has not inherited");
        // 3. So nobody in between runs.
        let middles = ROUNDS[MIDDLES].taken();
        ROUNDS[MIDDLES].give();
        assert!(ROUNDS[MIDDLES].taken() == middles, "a priority is inverted");
        assert!(MUTEXES[OUTER].try_lock(this).is_err_and(|error| error == LockError::Locked));
    });
    // 4. All that was inherited has gone back, and who is more urgent has run.
    assert!(DRIVER.priority() == 3, "an owner has kept what it inherited");
    cortex_m::interrupt::free(|_| {
        ROUNDS[HIGHS].judge_all_taken();
        ROUNDS[MIDDLES].judge_all_taken();
    });
    RANK.leave(DRIVERS);
    // 5. The least urgent has the inner mutex when it lets the driver go on, and inherits.
    ROUNDS[LOWS].give();
    call(0x3333_0000, DRIVERS as u32, take);
    RANK.enter(DRIVERS);
    lock_busy(DRIVERS, INNER);
    assert!(LOW.priority() == 2, "an owner has kept what it inherited");
    with(OUTER, || ROUNDS[HIGHS].give());
    RANK.leave(DRIVERS);
    over();
}

fn judge() {
    for which in [HIGHS, MIDDLES, PEERS, LOWS] {
        ROUNDS[which].judge_all_taken();
    }
    ROUNDS[DRIVERS].judge();
    for (thread, priority) in THREADS.iter().zip(PRIORITIES) {
        assert!(thread.priority() == priority, "a thread has kept what it inherited");
    }
    for which in [OUTER, INNER] {
        assert!(!MUTEXES[which].is_locked(), "a mutex has an owner for ever");
    }
    let [highs, peers, lows] = [HIGHS, PEERS, LOWS].map(|which| ROUNDS[which].taken());
    assert!(SECTIONS[OUTER].get() == highs + peers + 1, "a section has not ended");
    assert!(SECTIONS[INNER].get() == peers + lows + 2, "a section has not ended");
}

handlers! {
    GPIOA {
        ROUNDS[HIGHS].give();
    }
    GPIOB {
        ROUNDS[PEERS].give();
        ROUNDS[MIDDLES].give();
    }
    GPIOD {
        ROUNDS[LOWS].give();
    }
    GPIOE {
        ROUNDS[MIDDLES].give();
        ROUNDS[HIGHS].give();
        ROUNDS[LOWS].give();
    }
}

#[entry]
fn main() -> ! {
    run(&THREADS, judge)
}
