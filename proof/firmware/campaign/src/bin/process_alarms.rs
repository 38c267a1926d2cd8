//! Two processes whose alarms expire on one tick, while interrupts stop one and let the other begin
//! anew. Each alarm comes once, to the life that has set it, and not before its time.
#![no_std]
#![no_main]

use campaign::processes::{Desk, Role, run};
use campaign::threads::Counted;
use campaign::{Count, handlers};
use cortex_m_rt::entry;
use quintet::process::alarm::Alarm;
use quintet::process::{Process, Status};
use quintet::thread::CurrentThread;

/// A tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::kernel!(hardware_priority = 0x40);
quintet::systick_timer!(Clock, HZ);

quintet::thread!(static HIGH, priority = 4, stack = 768, entry = high);

static DESK: Desk = Desk::new([Role::AwaitsAlarms, Role::AwaitsAlarms, Role::None], say);
static ALARM: Alarm<3> = Alarm::new();
static PERMITS: Counted = Counted::new();
/// How many rounds of each process are over.
static ROUNDS: [Count; 2] = [const { Count::new() }; 2];

/// The process that is stopped, and ends last; and the one that begins anew.
const FIRST: usize = 0;
const SECOND: usize = 1;
/// So many rounds each process has.
const ROUNDS_MAX: u32 = 3;

quintet::processes!(
    static PROCESSES,
    count = 3,
    priority = 2,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&DESK, &ALARM],
);

fn process(index: usize) -> &'static Process {
    &PROCESSES.processes()[index]
}

fn say(who: &Process, what: u32, word: u32) -> u32 {
    let rounds = &ROUNDS[who.index()];
    match (what, word) {
        (0, _) => rounds.get(),
        (1, _) => rounds.add(),
        (_, 0) => u32::from(who.index() == FIRST),
        _ => u32::from(ROUNDS[SECOND].get() < ROUNDS_MAX),
    }
}

/// Who is stopped goes on.
fn high(_: &CurrentThread<'_>) {
    loop {
        PERMITS.take();
        let _not_stopped = process(FIRST).start();
    }
}

fn judge() {
    PERMITS.judge_all_taken();
    for (index, rounds) in ROUNDS.iter().enumerate() {
        let (status, rounds) = (process(index).status(), rounds.get());
        assert!(status == Status::Exited(0), "process {index} ends as {status:?}");
        assert!(rounds == ROUNDS_MAX, "process {index} has {rounds} rounds");
    }
}

handlers! {
    GPIOA {
        if process(FIRST).stop().is_ok() {
            PERMITS.give();
        }
    }
    GPIOB {
        assert!(process(SECOND).restart().is_ok());
    }
    // Other upcalls are due.
    GPIOD {
        DESK.ring(FIRST, 0, 0);
        DESK.ring(SECOND, 0, 0);
    }
    // Nobody is late.
    GPIOE {
        let stops = process(SECOND).stop().is_ok();
        if stops {
            assert!(process(SECOND).start().is_ok());
        }
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nobody else uses the peripherals.
    Clock::start(unsafe { cortex_m::Peripherals::steal() }.SYST);
    run(&PROCESSES, &[&HIGH], judge)
}
