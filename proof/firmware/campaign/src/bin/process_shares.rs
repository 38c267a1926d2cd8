//! Two processes that share memory and notify each other, while interrupts stop one and let the
//! other begin anew. What is no longer shared can't be reached.
#![no_std]
#![no_main]

use campaign::processes::{Desk, Role, run};
use campaign::threads::Counted;
use campaign::{Count, handlers};
use cortex_m_rt::entry;
use quintet::process::ipc::Ipc;
use quintet::process::{Cause, Fault, Policy, Process, Status};
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 4, stack = 768, entry = high);

static DESK: Desk = Desk::new([Role::Serves, Role::Shares, Role::None], say);
static IPC: Ipc<3> = Ipc::new();
static PERMITS: Counted = Counted::new();
/// How many rounds are over: in the third, what was shared is closed.
static ROUNDS: Count = Count::new();
/// In which life of the client it has closed what it shares, counted from 1 on; and in which the
/// service began to read that.
static CLOSED: Count = Count::new();
static READS: Count = Count::new();
/// In which life of the client the service works for it.
static WORKS: Count = Count::new();

const SERVICE: usize = 0;
const CLIENT: usize = 1;
const ROUND_OF_CLOSING: u32 = 2;

quintet::processes!(
    static PROCESSES,
    count = 3,
    priority = 2,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&DESK, &IPC],
    on_fault = on_fault,
);

fn process(index: usize) -> &'static Process {
    &PROCESSES.processes()[index]
}

fn say(who: &Process, what: u32, word: u32) -> u32 {
    let life = process(CLIENT).restarts() + 1;
    match what {
        1 => {
            assert!(word == ROUNDS.add(), "a round ends twice");
        }
        2 => CLOSED.put(life),
        // The service begins to read.
        3 if word == 0 => READS.put(life),
        // It has read: that is no longer open if the client has closed it in this life.
        3 => return u32::from(READS.get() == life && CLOSED.get() == life),
        4 if word == 0 => WORKS.put(life),
        4 => return u32::from(WORKS.get() != life),
        _ => assert!(who.index() == CLIENT, "a service asks for rounds"),
    }
    ROUNDS.get()
}

fn on_fault(who: &Process, fault: &Fault) -> Policy {
    let address = fault.address.unwrap_or_default();
    let memory = process(CLIENT).memory();
    let is_shared = memory.begin <= address && address < memory.end;
    assert!(who.index() == SERVICE && fault.cause == Cause::Access && is_shared, "{fault}");
    let (life, rounds) = (process(CLIENT).restarts() + 1, ROUNDS.get());
    if rounds == ROUND_OF_CLOSING && CLOSED.get() == life {
        ROUNDS.add();
    } else {
        assert!(life > 1, "what is shared is closed: {fault}");
    }
    // What it was asked is forgotten: the client asks anew.
    assert!(process(CLIENT).restart().is_ok());
    Policy::Restart
}

/// Who is stopped goes on.
fn high(_: &CurrentThread<'_>) {
    loop {
        PERMITS.take();
        let _not_stopped = process(CLIENT).start();
    }
}

fn judge() {
    PERMITS.judge_all_taken();
    let status = process(CLIENT).status();
    assert!(status == Status::Exited(0), "the client ends as {status:?}");
    let status = process(SERVICE).status();
    assert!(status == Status::Alive, "the service ends as {status:?}");
    assert!(ROUNDS.get() == ROUND_OF_CLOSING + 1, "a round is lost");
}

handlers! {
    GPIOA {
        let stops = process(SERVICE).stop().is_ok();
        DESK.ring(CLIENT, 0, 0);
        if stops {
            assert!(process(SERVICE).start().is_ok());
        }
    }
    GPIOB {
        if process(CLIENT).stop().is_ok() {
            PERMITS.give();
        }
    }
    GPIOD {
        DESK.ring(SERVICE, 0, 0);
        assert!(process(CLIENT).restart().is_ok());
    }
    // Nobody begins anew.
    GPIOE {
        DESK.ring(CLIENT, 0, 0);
        DESK.ring(SERVICE, 0, 0);
    }
}

#[entry]
fn main() -> ! {
    run(&PROCESSES, &[&HIGH], judge)
}
