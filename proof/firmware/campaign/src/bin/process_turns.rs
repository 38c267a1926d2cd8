//! Two processes of one priority that take turns by time, and one of a higher priority that comes
//! between: by upcalls of interrupts, and of a thread. All keep their registers.
#![no_std]
#![no_main]

use campaign::processes::{Desk, Role, run};
use campaign::threads::Counted;
use campaign::{Count, handlers};
use cortex_m_rt::entry;
use embassy_time::Duration;
use quintet::process::{Process, Status};
use quintet::thread::{CurrentThread, Slice, take_turns};

/// A tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::kernel!(hardware_priority = 0x40);
quintet::systick_timer!(Clock, HZ);

quintet::thread!(static HIGH, priority = 4, stack = 768, entry = high);

static DESK: Desk = Desk::new([Role::TakesTurns, Role::TakesTurns, Role::ComesBetween], say);
static PERMITS: Counted = Counted::new();
/// Longer than what two interrupts bring with them, so that each process sees its turn.
static SLICES: [Slice; 1] = [Slice::new(2, Duration::from_ticks(4000))];
/// Whose turn it was last, and how many each has had.
static LAST: Count = Count::new();
static HAD: [Count; 2] = [const { Count::new() }; 2];
/// How often the urgent process has heard of its upcall.
static HEARD: Count = Count::new();
/// How often that was due when a process of one that takes turns has looked last.
static DUE: [Count; 2] = [const { Count::new() }; 2];

const URGENT: usize = 2;
/// So many turns the first one has.
const TURNS: u32 = 3;

quintet::processes!(
    static PROCESSES,
    count = 3,
    priority = [2, 2, 3],
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&DESK],
);

fn process(index: usize) -> &'static Process {
    &PROCESSES.processes()[index]
}

fn say(who: &Process, what: u32, word: u32) -> u32 {
    if what == 1 {
        assert!(who.index() == URGENT && word >= HEARD.get(), "an upcall is heard twice");
        HEARD.put(word);
        return 0;
    }
    if word == 1 {
        return who.index() as u32;
    }
    // This may have been interrupted: but what was due when it looked last was heard since.
    assert!(HEARD.get() >= DUE[who.index()].get(), "a less urgent process runs");
    if LAST.get() != who.index() as u32 {
        LAST.put(who.index() as u32);
        HAD[who.index()].add();
    }
    let is_over = HAD[0].get() == TURNS;
    DUE[who.index()].put(DESK.rung(URGENT, 0) + DESK.rung(URGENT, 1));
    u32::from(is_over)
}

/// Who is stopped goes on.
fn high(_: &CurrentThread<'_>) {
    loop {
        PERMITS.take();
        let _not_stopped = process(0).start();
    }
}

fn judge() {
    PERMITS.judge_all_taken();
    let all = PROCESSES.processes().iter();
    let ends: [Status; 3] = [Status::Exited(0), Status::Exited(0), Status::Alive];
    for (process, end) in all.zip(ends) {
        let status = process.status();
        assert!(status == end, "{} ends as {status:?}", process.index());
    }
    assert!(HEARD.get() == DESK.rung(URGENT, 0), "an upcall is lost");
    // One may have been about to look when the last turn began.
    assert!((TURNS - 1..=TURNS + 1).contains(&HAD[1].get()), "a turn was left out");
}

handlers! {
    GPIOA {
        DESK.ring(URGENT, 0, 0);
    }
    // Nobody becomes ready.
    GPIOB {
        let stops = process(0).stop().is_ok();
        if stops {
            assert!(process(0).start().is_ok());
        }
    }
    GPIOD {
        if process(0).stop().is_ok() {
            PERMITS.give();
        }
    }
    GPIOE {
        let stops = process(URGENT).stop().is_ok();
        if stops {
            assert!(process(URGENT).start().is_ok());
        }
        DESK.ring(1, 0, 0);
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nobody else uses the peripherals.
    Clock::start(unsafe { cortex_m::Peripherals::steal() }.SYST);
    take_turns(&SLICES);
    run(&PROCESSES, &[&HIGH], judge)
}
