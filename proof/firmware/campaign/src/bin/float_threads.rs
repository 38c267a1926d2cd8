//! Threads that begin without floating-point state, make one, keep it across switches, and end with
//! it; beside threads that never have any. Interrupts use the registers before and behind what they
//! make ready.
#![no_std]
#![no_main]

use campaign::patterns::{call, floats, steps};
use campaign::threads::{over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use quintet::thread::{CurrentThread, Thread};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 3, stack = 1024, entry = high);
quintet::thread!(static PEER, priority = 2, stack = 1024, entry = peer);
quintet::thread!(static DRIVER, priority = 2, stack = 1024, entry = driver);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

/// By thread: how often it was started, and has ended.
static STARTED: [Count; 3] = [const { Count::new() }; 3];
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

extern "C" fn yields(_: u32) {
    // SAFETY: only threads call this.
    unsafe { CurrentThread::new() }.yield_now();
}

/// The first instruction of a thread that uses a register: it rounds as no other code does. (Flags
/// are those of the code before, by the architecture.)
fn uses_first() {
    const MODES: u32 = 0x07c0_0000;
    let status = floats::status();
    assert!(status & MODES == 0, "a thread begins with the modes of another one: {status:#x}");
}

/// Leaves other values in all registers; for threads, which have no numbers.
fn spoil(seed: u32) {
    // SAFETY: the thread's are in none.
    unsafe { floats::spoil(seed) };
}

/// It ends with state that it has just made, and leaves none of what it found.
fn high(_: &CurrentThread<'_>) {
    uses_first();
    floats::stay(0x4444_1000);
    start(2);
    ENDED[0].add();
    spoil(0x4444_5555);
}

/// It makes state between two switches by calls, and keeps it over the second one.
fn peer(_: &CurrentThread<'_>) {
    call(0x1111_2000, 0, yields);
    steps(0x1111_2800);
    uses_first();
    call(0x2222_3000, 0, yields);
    spoil(0x2222_5555);
    yields(0);
    floats::stay(0x2222_3800);
    spoil(0x2222_6666);
    ENDED[1].add();
}

/// It never has any.
fn low(_: &CurrentThread<'_>) {
    start(0);
    steps(0x5555_4000);
    ENDED[2].add();
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    for which in 0..3 {
        call(0x6666_0000, which, start_it);
        call(0xaaaa_0000, 0, yields);
        call(0x8888_0000, which, join_it);
    }
    for which in 0..3 {
        assert!(started(which).join(this).is_ok());
    }
    over();
}

fn judge() {
    for which in 0..3 {
        assert!(!started(which).is_alive(), "a thread has not ended");
        assert!(STARTED[which].get() == ENDED[which].get(), "a start is lost, or had twice");
    }
}

handlers! {
    // With the registers full before.
    GPIOA {
        start(0);
    }
    GPIOB {
        start(1);
    }
    // They are used behind what is made ready, so the state of whoever is left is stored late.
    GPIOD {
        start(2);
        start(1);
        floats::stay(0x0d0d_0000);
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
