//! A lock for many readers or one writer: threads that wait for it, and interrupts that try.
#![no_std]
#![no_main]

use campaign::doors::Pair;
use campaign::patterns::call;
use campaign::threads::{Counted, over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use portable_atomic::{AtomicU32, Ordering};
use quintet::sync::{Operation, RwLock};
use quintet::thread::{CurrentThread, Thread};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static READER, priority = 5, stack = 1024, entry = reader);
quintet::thread!(static WRITER, priority = 4, stack = 1024, entry = writer);
quintet::thread!(static PEER, priority = 2, stack = 1024, entry = peer);
quintet::thread!(static DRIVER, priority = 2, stack = 1024, entry = driver);

static THREADS: [&Thread; 4] = [&READER, &WRITER, &PEER, &DRIVER];

static LOCK: RwLock<Pair> = RwLock::new(Pair::new());
/// Readers that are in.
static IN: AtomicU32 = AtomicU32::new(0);
static WRITTEN: Count = Count::new();
/// By thread: what it waits for before each round.
static ROUNDS: [Counted; 3] = [const { Counted::new() }; 3];

const READERS: u32 = 0;
const WRITERS: u32 = 1;
const PEERS: u32 = 2;

/// What a reader does.
fn look(pair: &Pair, section: impl FnOnce()) {
    IN.fetch_add(1, Ordering::Relaxed);
    let before = pair.total();
    section();
    assert!(pair.total() == before, "somebody writes beside a reader");
    IN.fetch_sub(1, Ordering::Relaxed);
}

/// What a writer does.
fn change(pair: &mut Pair, section: impl FnOnce()) {
    assert!(IN.load(Ordering::Relaxed) == 0, "somebody reads beside a writer");
    pair.begin();
    section();
    pair.end();
    assert!(IN.load(Ordering::Relaxed) == 0, "somebody reads beside a writer");
    WRITTEN.add();
}

extern "C" fn read(_: u32) {
    // SAFETY: only threads call this.
    look(&LOCK.read().block(&unsafe { CurrentThread::new() }), || ());
}

extern "C" fn write(_: u32) {
    // SAFETY: only threads call this.
    change(&mut LOCK.write().block(&unsafe { CurrentThread::new() }), || ());
}

extern "C" fn take(which: u32) {
    ROUNDS[which as usize].take();
}

fn reader(_: &CurrentThread<'_>) {
    loop {
        call(0x1100_0000, READERS, take);
        call(0x1200_0000, 0, read);
    }
}

fn writer(_: &CurrentThread<'_>) {
    loop {
        call(0x2100_0000, WRITERS, take);
        call(0x2200_0000, 0, write);
    }
}

fn peer(_: &CurrentThread<'_>) {
    loop {
        call(0x3100_0000, PEERS, take);
        call(0x3200_0000, 0, read);
        call(0x3300_0000, 0, write);
    }
}

fn try_read() {
    if let Ok(pair) = LOCK.try_read() {
        look(&pair, || ());
    }
}

fn try_write() {
    if let Ok(mut pair) = LOCK.try_write() {
        change(&mut pair, || ());
    }
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    // 1. A reader has it: a writer waits, then an equal, then a reader, behind the writer.
    look(&LOCK.read().block(this), || {
        ROUNDS[WRITERS as usize].give();
        assert!(LOCK.try_read().is_err(), "a reader overtakes a writer");
        ROUNDS[PEERS as usize].give();
        this.yield_now();
        ROUNDS[READERS as usize].give();
    });
    // 2. A writer has it: the reader waits.
    change(&mut LOCK.write().block(this), || {
        ROUNDS[READERS as usize].give();
        ROUNDS[PEERS as usize].give();
        this.yield_now();
    });
    call(0x4400_0000, 0, write);
    over();
}

fn judge() {
    ROUNDS.iter().for_each(Counted::judge_all_taken);
    let Ok(pair) = LOCK.try_write() else { panic!("the lock has an owner for ever") };
    assert!(pair.total() == WRITTEN.get(), "two have written at once");
    let least = ROUNDS[WRITERS as usize].taken() + ROUNDS[PEERS as usize].taken() + 2;
    assert!(WRITTEN.get() >= least, "a section has not ended");
}

handlers! {
    GPIOA {
        try_read();
        ROUNDS[READERS as usize].give();
    }
    GPIOB {
        try_write();
        ROUNDS[WRITERS as usize].give();
    }
    GPIOD {
        try_write();
        ROUNDS[PEERS as usize].give();
    }
    GPIOE {
        try_read();
        try_write();
    }
}

#[entry]
fn main() -> ! {
    run(&THREADS, judge)
}
