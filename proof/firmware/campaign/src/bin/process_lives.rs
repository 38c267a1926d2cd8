//! A process that ends and begins anew: by its own wish, by faults, by a thread and by interrupts,
//! with upcalls due. No life hears of what was for another one, and none is lost.
#![no_std]
#![no_main]

use campaign::processes::{Desk, Role, run};
use campaign::threads::{Counted, over};
use campaign::{Count, handlers};
use cortex_m_rt::entry;
use quintet::process::{Cause, Fault, Policy, Process, Status};
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 4, stack = 768, entry = high);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

static DESK: Desk = Desk::new([Role::Lives, Role::None, Role::None], say);
static PERMITS: Counted = Counted::new();
/// The process has begun a life.
static BEGUN: Counted = Counted::new();
/// Which life was the last that has begun, counted from 1 on.
static LAST: Count = Count::new();

quintet::processes!(
    static PROCESSES,
    count = 3,
    priority = [2, 2, 2],
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&DESK],
    on_fault = on_fault,
);

fn process() -> &'static Process {
    &PROCESSES.processes()[0]
}

/// A life begins: which one it is. Then it says that it is ready.
fn say(process: &Process, what: u32, life: u32) -> u32 {
    if what == 1 {
        assert!(life + 1 > LAST.get(), "a life begins twice");
        LAST.put(life + 1);
        BEGUN.give();
        return life;
    }
    process.restarts()
}

fn on_fault(_: &Process, fault: &Fault) -> Policy {
    assert!(matches!(fault.cause, Cause::Access | Cause::Call), "{fault}");
    if fault.cause == Cause::Call { Policy::Stop } else { Policy::Restart }
}

/// Who is stopped goes on.
fn high(_: &CurrentThread<'_>) {
    loop {
        PERMITS.take();
        // It may have begun anew since.
        let _not_stopped = process().start();
    }
}

/// Waits until a life has begun behind `life`.
fn wait_behind(life: u32) {
    while LAST.get() <= life + 1 {
        BEGUN.take();
    }
}

/// Tells the process what to do: twice, so that one wish is left when it has ended. Which life it
/// was in.
fn wish(what: u32) -> u32 {
    let life = process().restarts();
    cortex_m::interrupt::free(|_| [what; 2].map(|what| DESK.ring(0, 4, what)));
    life
}

/// The process has ended so, or an interrupt has let it begin anew.
fn has_ended(life: u32, status: Status) {
    // It runs before this thread does.
    let found = process().status();
    assert!(found == status || process().restarts() > life, "{found:?} and not {status:?}");
}

/// Lets it begin anew. Which life it was in.
fn begin_anew() -> u32 {
    let life = process().restarts();
    assert!(process().restart().is_ok());
    life
}

fn low(_: &CurrentThread<'_>) {
    BEGUN.take();
    wait_behind(begin_anew());
    wait_behind(wish(1));
    wait_behind(wish(2));
    has_ended(wish(3), Status::Faulted);
    wait_behind(begin_anew());
    has_ended(wish(4), Status::Exited(9));
    wait_behind(begin_anew());
    let life = process().restarts();
    if process().stop().is_ok() {
        DESK.ring_in_thread(0, 5, 0);
        let _begun_anew = process().start();
    }
    let _begun_anew = process().terminate();
    has_ended(life, Status::Terminated);
    wait_behind(begin_anew());
    over();
    wish(4);
    let status = process().status();
    assert!(status == Status::Exited(9), "the process ends as {status:?}");
}

fn judge() {
    PERMITS.judge_all_taken();
    assert!(!LOW.is_alive(), "the thread has not ended");
    let status = process().status();
    assert!(status == Status::Exited(9), "the process ends as {status:?}");
    let restarts = process().restarts();
    assert!(restarts >= 6, "a restart is lost");
    assert!(DESK.forgotten(0) > restarts, "drivers have not forgotten a life");
}

handlers! {
    GPIOA {
        DESK.ring(0, 0, 0);
    }
    GPIOB {
        DESK.ring(0, 1, 0);
        if process().stop().is_ok() {
            PERMITS.give();
        }
    }
    GPIOD {
        let _ended = process().terminate();
        DESK.ring(0, 2, 0);
        assert!(process().restart().is_ok());
        DESK.ring(0, 2, 0);
    }
    GPIOE {
        DESK.ring(0, 6, 0);
        assert!(process().restart().is_ok());
    }
}

#[entry]
fn main() -> ! {
    run(&PROCESSES, &[&HIGH, &LOW], judge)
}
