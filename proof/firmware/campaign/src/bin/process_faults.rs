//! A process that makes each kind of fault once, and begins anew: whatever comes in the middle, the
//! kernel sees what it did, or the process was begun anew before it did it.
#![no_std]
#![no_main]

use campaign::processes::{Desk, Role, run};
use campaign::threads::Counted;
use campaign::{Count, handlers};
use cortex_m_rt::entry;
use quintet::process::{Cause, Fault, Policy, Process, Status};
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 4, stack = 768, entry = high);

static DESK: Desk = Desk::new([Role::Faults, Role::None, Role::None], say);
static PERMITS: Counted = Counted::new();
/// How many faults were seen.
static FAULTS: Count = Count::new();

/// The causes that may be seen of each: without an interrupt, and with one whose frame has no room.
const CAUSES: [[Cause; 2]; 11] = [
    [Cause::Access; 2],
    [Cause::Access; 2],
    [Cause::Execution; 2],
    [Cause::Instruction; 2],
    [Cause::Breakpoint; 2],
    [Cause::Call; 2],
    [Cause::Call; 2],
    [Cause::Stack; 2],
    [Cause::Access, Cause::Stack],
    [Cause::Access, Cause::Stack],
    [Cause::Stack; 2],
];

quintet::processes!(
    static PROCESSES,
    count = 3,
    priority = 2,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&DESK],
    on_fault = on_fault,
);

fn process() -> &'static Process {
    &PROCESSES.processes()[0]
}

/// Which fault is next.
fn say(_: &Process, _: u32, _: u32) -> u32 {
    let next = FAULTS.get();
    if (next as usize) < CAUSES.len() { next } else { 99 }
}

fn on_fault(_: &Process, fault: &Fault) -> Policy {
    let which = FAULTS.add() as usize;
    assert!(CAUSES[which].contains(&fault.cause), "{which}: {fault}");
    Policy::Restart
}

fn high(_: &CurrentThread<'_>) {
    loop {
        PERMITS.take();
        let _ended = process().stop();
        let _ended = process().start();
    }
}

fn judge() {
    PERMITS.judge_all_taken();
    let status = process().status();
    assert!(status == Status::Exited(0), "the process ends as {status:?}");
    assert!(FAULTS.get() as usize == CAUSES.len(), "a fault was not seen");
    assert!(DESK.forgotten(0) > process().restarts(), "drivers have not forgotten a life");
}

handlers! {
    GPIOA {
        DESK.ring(0, 0, 0);
        DESK.write(0, b"nothing is lent");
    }
    GPIOB {
        if process().stop().is_ok() {
            let _ended = process().start();
        }
    }
    GPIOD {
        PERMITS.give();
    }
    GPIOE {
        assert!(process().restart().is_ok());
    }
}

#[entry]
fn main() -> ! {
    run(&PROCESSES, &[&HIGH], judge)
}
