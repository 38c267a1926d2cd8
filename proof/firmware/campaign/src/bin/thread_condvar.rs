//! A condition variable: consumers of two priorities and producers, and notifications that are for
//! nothing. What was produced is consumed, once.
#![no_std]
#![no_main]

use campaign::patterns::call;
use campaign::threads::{Counted, over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use quintet::sync::{Condvar, InheritanceMutex, Operation};
use quintet::thread::{CurrentThread, Thread};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static PRODUCER, priority = 5, stack = 1024, entry = producer);
quintet::thread!(static FIRST, priority = 4, stack = 1024, entry = consumer::<0>);
quintet::thread!(static SECOND, priority = 2, stack = 1024, entry = consumer::<1>);
quintet::thread!(static DRIVER, priority = 2, stack = 1024, entry = driver);

static THREADS: [&Thread; 4] = [&PRODUCER, &FIRST, &SECOND, &DRIVER];

/// What the mutex protects: equal parts, so that half a change is seen.
struct Stock {
    parts: [u32; 2],
}

static STOCK: InheritanceMutex<Stock> = InheritanceMutex::new(Stock { parts: [0; 2] });
static FILLED: Condvar = Condvar::new();
static ROUNDS: Counted = Counted::new();
static PRODUCED: Count = Count::new();
static CONSUMED: [Count; 2] = [const { Count::new() }; 2];

impl Stock {
    fn count(&self) -> u32 {
        assert!(self.parts[0] == self.parts[1], "somebody else changes it");
        self.parts[0]
    }

    fn put(&mut self, count: u32) {
        self.parts[0] = core::hint::black_box(count);
        self.parts[1] = count;
    }
}

/// Produces `count`, and notifies while it has the mutex or behind that.
fn produce(count: u32, notify: impl FnOnce(), notify_behind: impl FnOnce()) {
    // SAFETY: only threads call this.
    let mut stock = STOCK.lock().block(&unsafe { CurrentThread::new() });
    let there = stock.count();
    stock.put(there + count);
    PRODUCED.put(PRODUCED.get() + count);
    notify();
    drop(stock);
    notify_behind();
}

extern "C" fn consume(which: u32) {
    // SAFETY: only threads call this.
    let this = unsafe { CurrentThread::new() };
    let mut stock = STOCK.lock().block(&this);
    while stock.count() == 0 {
        stock = FILLED.wait(stock).block(&this);
    }
    let there = stock.count();
    stock.put(there - 1);
    CONSUMED[which as usize].add();
}

extern "C" fn take(_: u32) {
    ROUNDS.take();
}

fn producer(_: &CurrentThread<'_>) {
    loop {
        call(0x1100_0000, 0, take);
        produce(1, || (), || FILLED.notify_one());
    }
}

fn consumer<const WHICH: usize>(_: &CurrentThread<'_>) {
    loop {
        call(0x2200_0000 + ((WHICH as u32) << 16), WHICH as u32, consume);
    }
}

extern "C" fn produce_one(_: u32) {
    produce(1, || FILLED.notify_one(), || ());
}

extern "C" fn produce_two(_: u32) {
    produce(2, || (), || FILLED.notify_all());
}

fn driver(this: &CurrentThread<'_>) {
    // Both wait.
    this.yield_now();
    lines::enable_four();
    begin();
    call(0x3300_0000, 0, produce_one);
    call(0x3400_0000, 0, produce_two);
    this.yield_now();
    call(0x3500_0000, 0, produce_one);
    over();
}

fn judge() {
    ROUNDS.judge_all_taken();
    let consumed = CONSUMED[0].get() + CONSUMED[1].get();
    assert!(consumed == PRODUCED.get(), "a notification is lost");
    assert!(!STOCK.is_locked(), "the mutex has an owner for ever");
    assert!(THREADS.iter().map(|thread| thread.priority()).eq([5, 4, 2, 2]), "a priority is left");
}

handlers! {
    GPIOA {
        FILLED.notify_one();
    }
    GPIOB {
        ROUNDS.give();
        FILLED.notify_all();
    }
    GPIOD {
        ROUNDS.give();
    }
    GPIOE {
        FILLED.notify_all();
        ROUNDS.give();
    }
}

#[entry]
fn main() -> ! {
    run(&THREADS, judge)
}
