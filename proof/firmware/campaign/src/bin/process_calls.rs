//! A process that makes calls of each class, while interrupts bring it upcalls, fill what it has
//! lent, stop it and let it go on, and wake a thread that does the same.
#![no_std]
#![no_main]

use campaign::handlers;
use campaign::processes::{Desk, Role, run};
use campaign::threads::Counted;
use cortex_m_rt::entry;
use quintet::process::{Process, Status};
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 4, stack = 768, entry = high);
quintet::thread!(static LOW, priority = 1, stack = 768, entry = low);

static DESK: Desk = Desk::new([Role::Calls, Role::None, Role::None], say);
static PERMITS: Counted = Counted::new();
/// The process waits for an upcall: a thread brings it, or an interrupt before.
static ASKED: Counted = Counted::new();
const LINE_ASKED: usize = 4;

quintet::processes!(
    static PROCESSES,
    count = 3,
    priority = 2,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&DESK],
);

fn process() -> &'static Process {
    &PROCESSES.processes()[0]
}

/// How many upcalls of a line were accepted; or one is asked for.
fn say(_: &Process, line: u32, is_asked: u32) -> u32 {
    if is_asked == 1 {
        ASKED.give();
    }
    DESK.rung(0, line as usize)
}

fn high(_: &CurrentThread<'_>) {
    loop {
        PERMITS.take();
        DESK.ring_in_thread(0, 6, 0);
        // Whoever has given the permit has stopped it.
        assert!(process().start().is_ok());
    }
}

fn low(_: &CurrentThread<'_>) {
    loop {
        ASKED.take();
        // It has room, as the process waits.
        assert!(DESK.ring_in_thread(0, LINE_ASKED, 0));
    }
}

fn judge() {
    PERMITS.judge_all_taken();
    ASKED.judge_all_taken();
    let status = process().status();
    assert!(status == Status::Exited(0), "the process ends as {status:?}");
    assert!(process().restarts() == 0 && DESK.forgotten(0) == 1, "the process has begun anew");
}

handlers! {
    GPIOA {
        DESK.ring(0, 0, 0);
        if ASKED.semaphore.try_take().is_ok() {
            ASKED.note_taken();
            assert!(DESK.ring(0, LINE_ASKED, 0));
        }
        DESK.write(0, b"what is lent now");
    }
    GPIOB {
        DESK.ring(0, 5, 0);
        DESK.ring(0, 1, 0);
    }
    GPIOD {
        let stops = process().stop().is_ok();
        DESK.write(0, b"and what was not");
        if stops {
            assert!(process().start().is_ok());
        }
    }
    GPIOE {
        DESK.ring(0, 2, 0);
        if process().stop().is_ok() {
            PERMITS.give();
        }
    }
}

#[entry]
fn main() -> ! {
    run(&PROCESSES, &[&HIGH, &LOW], judge)
}
