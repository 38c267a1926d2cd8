//! Threads that begin, end, are joined and begin again: by threads and by interrupts.
#![no_std]
#![no_main]

use campaign::patterns::{call, steps};
use campaign::threads::{over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use quintet::thread::{CurrentThread, Thread};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 3, stack = 512 + campaign::MORE_STACK, entry = high);
quintet::thread!(static PEER, priority = 2, stack = 512 + campaign::MORE_STACK, entry = peer);
quintet::thread!(static DRIVER, priority = 2, stack = 768, entry = driver);
quintet::thread!(static LOW, priority = 1, stack = 512 + campaign::MORE_STACK, entry = low);

/// By thread: how often it was started, has begun and ended.
static STARTED: [Count; 3] = [const { Count::new() }; 3];
static BEGUN: [Count; 3] = [const { Count::new() }; 3];
static ENDED: [Count; 3] = [const { Count::new() }; 3];

fn started(which: usize) -> &'static Thread {
    [&HIGH, &PEER, &LOW][which]
}

/// Starts a thread, if it has ended.
fn start(which: usize) {
    if started(which).start().is_ok() {
        STARTED[which].add();
    }
}

extern "C" fn start_it(which: u32) {
    start(which as usize);
}

extern "C" fn join_it(which: u32) {
    // SAFETY: only a thread calls this.
    assert!(started(which as usize).join(&unsafe { CurrentThread::new() }).is_ok());
}

fn high(_: &CurrentThread<'_>) {
    BEGUN[0].add();
    steps(0x9000_1000);
    start(2);
    ENDED[0].add();
}

fn peer(this: &CurrentThread<'_>) {
    BEGUN[1].add();
    this.yield_now();
    ENDED[1].add();
}

fn low(_: &CurrentThread<'_>) {
    BEGUN[2].add();
    start(0);
    steps(0x6800_2000);
    ENDED[2].add();
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    for which in 0..3 {
        call(0x3333_0000, which, start_it);
        call(0x3434_0000, which, join_it);
    }
    for which in 0..3 {
        assert!(started(which).join(this).is_ok());
    }
    over();
}

fn judge() {
    for which in 0..3 {
        assert!(!started(which).is_alive(), "a thread has not ended");
        let (started, begun) = (STARTED[which].get(), BEGUN[which].get());
        assert!(started == begun, "a thread was started and never began, or began twice");
        assert!(begun == ENDED[which].get(), "a thread began and never ended");
    }
}

handlers! {
    GPIOA {
        start(0);
    }
    GPIOB {
        start(1);
    }
    GPIOD {
        start(2);
        start(1);
    }
    GPIOE {
        start(0);
        start(1);
        start(2);
    }
}

#[entry]
fn main() -> ! {
    run(&[&DRIVER], judge)
}
