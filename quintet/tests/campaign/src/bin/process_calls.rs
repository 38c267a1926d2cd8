//! A process that makes calls of each class, while interrupts bring it upcalls, fill what it has
//! lent, stop it and let it go on, and wake a thread that does the same.
#![no_std]
#![no_main]

use campaign::handlers;
use campaign::processes::{Desk, Role, run};
use campaign::threads::Counted;
use cortex_m_rt::entry;
use quintet::process::{Process, Status};
use quintet::thread::This;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 4, stack = 768, entry = high);

static DESK: Desk = Desk::new([Role::Calls, Role::None, Role::None], say);
static PERMITS: Counted = Counted::new();

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

/// How many upcalls of a line were accepted.
fn say(_: &Process, line: u32, _: u32) -> u32 {
    DESK.rung(0, line as usize)
}

fn high(_: &This<'_>) {
    loop {
        PERMITS.take();
        DESK.ring_in_thread(0, 6, 0);
        // Whoever has given the permit has stopped it.
        assert!(process().start().is_ok());
    }
}

fn judge() {
    PERMITS.judge_all_taken();
    let status = process().status();
    assert!(status == Status::Exited(0), "the process ends as {status:?}");
    assert!(process().restarts() == 0 && DESK.forgotten(0) == 1, "the process has begun anew");
}

handlers! {
    GPIOA {
        DESK.ring(0, 0, 0);
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
    run(&PROCESSES, &[&HIGH], judge)
}
