//! Threads of one priority that take turns by time: each has its turn, in their order, also when
//! more urgent threads come between and the timer comes when nothing is due.
#![no_std]
#![no_main]

use campaign::patterns::{call, steps};
use campaign::threads::{Counted, over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use embassy_time::Duration;
use portable_atomic::{AtomicU32, Ordering};
use quintet::thread::{self, CurrentThread, Slice, Thread};

/// A tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::kernel!(hardware_priority = 0x40);
quintet::systick_timer!(Clock, HZ);

quintet::thread!(static HIGH, priority = 4, stack = 1024, entry = high);
quintet::thread!(static ONE, priority = 2, stack = 1024, entry = turns::<0>);
quintet::thread!(static TWO, priority = 2, stack = 1024, entry = turns::<1>);
quintet::thread!(static THREE, priority = 2, stack = 1024, entry = turns::<2>);
quintet::thread!(static FOUR, priority = 1, stack = 512, entry = ends);
quintet::thread!(static FIVE, priority = 1, stack = 512, entry = ends);

static TURNS: [&Thread; 3] = [&ONE, &TWO, &THREE];
/// Longer than what two interrupts bring with them, so that each thread sees its turn.
/// An instruction takes more cycles on ARMv6-M, and there are more of them.
const SLICE: Duration =
    Duration::from_ticks(if cfg!(target_has_atomic = "ptr") { 3000 } else { 6000 });
static SLICES: [Slice; 2] = [Slice::new(2, SLICE), Slice::new(1, SLICE)];

static PERMITS: Counted = Counted::new();
/// Whose turn it was last.
static LAST: AtomicU32 = AtomicU32::new(2);
/// By thread.
static HAD: [Count; 3] = [const { Count::new() }; 3];

extern "C" fn take(_: u32) {
    PERMITS.take();
}

fn high(_: &CurrentThread<'_>) {
    thread::take_turns(&SLICES);
    for thread in TURNS {
        assert!(thread.start().is_ok());
    }
    loop {
        call(0x1100_0000, 0, take);
    }
}

/// Notes whose turn it is: that of the thread behind the last one.
fn look(which: u32) {
    let last = LAST.swap(which, Ordering::Relaxed);
    if last != which {
        let ends = HAD[0].get() == 2;
        assert!(ends || (last + 1) % 3 == which, "a thread's turn was left out");
        HAD[which as usize].add();
    }
}

/// Runs until the turn is the first one's again.
fn turns<const WHICH: u32>(_: &CurrentThread<'_>) {
    if WHICH == 0 {
        look(WHICH);
        lines::enable_four();
        begin();
    }
    let mut others = if WHICH == 1 { &[&FOUR, &FIVE][..] } else { &[] };
    while HAD[0].get() < 2 {
        look(WHICH);
        // Less urgent ones begin to take turns while a slice is timed.
        if let Some((other, more)) = others.split_first() {
            assert!(other.start().is_ok());
            others = more;
        }
        steps(0x5050_1000 + (WHICH << 28));
    }
    if WHICH == 0 {
        over();
    }
}

/// Takes a turn, but runs behind the others.
fn ends(_: &CurrentThread<'_>) {}

fn judge() {
    PERMITS.judge_all_taken();
    assert!(TURNS.iter().all(|thread| !thread.is_alive()), "a thread has not ended");
    // One may have been about to look when the last turn began.
    assert!(HAD[1..].iter().all(|had| (1..=2).contains(&had.get())), "a turn was left out");
}

handlers! {
    GPIOA {
        PERMITS.give();
    }
    // Nobody becomes ready.
    GPIOB {
        PERMITS.give();
        PERMITS.try_take();
    }
    GPIOD {
        HIGH.set_priority(if HIGH.base_priority() == 4 { 3 } else { 4 }).unwrap();
        PERMITS.give();
    }
    GPIOE {
        let _running = HIGH.suspend();
        PERMITS.give();
        HIGH.resume();
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nobody else uses the peripherals.
    Clock::start(unsafe { cortex_m::Peripherals::steal() }.SYST);
    run(&[&HIGH], judge)
}
