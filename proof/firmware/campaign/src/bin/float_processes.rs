//! Processes that use floating-point registers late, in each life anew, beside a thread, interrupts
//! and idle that use them all: a process begins with nothing in them, and keeps its own.
#![no_std]
#![no_main]

use campaign::handlers;
use campaign::patterns::{call, floats};
use campaign::processes::{Desk, Role, run};
use campaign::threads::Counted;
use cortex_m_rt::entry;
use quintet::process::{Process, Status};
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 4, stack = 1024, entry = high);

static DESK: Desk = Desk::new([Role::Floats, Role::Floats, Role::None], say);
static PERMITS: Counted = Counted::new();

quintet::processes!(
    static PROCESSES,
    count = 3,
    priority = [2, 2, 2],
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&DESK],
);

fn process(index: usize) -> &'static Process {
    &PROCESSES.processes()[index]
}

/// Which process it is; the kernel's driver uses the registers in the middle of a call.
fn say(process: &Process, _: u32, seed: u32) -> u32 {
    floats::stay(seed);
    process.index() as u32
}

extern "C" fn take(_: u32) {
    PERMITS.take();
}

/// Keeps its registers while it waits; a process that is stopped goes on.
fn high(_: &CurrentThread<'_>) {
    loop {
        call(0x4444_0000, 0, take);
        let _not_stopped = process(0).start();
        // SAFETY: nothing of the thread's is in the registers.
        unsafe { floats::spoil(0x4444_5555) };
    }
}

fn judge() {
    PERMITS.judge_all_taken();
    for index in [0, 1] {
        let status = process(index).status();
        assert!(status == Status::Exited(0), "process {index} ends as {status:?}");
    }
}

/// The second one begins a new life, unless it has ended.
fn begin_anew() {
    if process(1).status() == Status::Alive {
        assert!(process(1).restart().is_ok());
    }
}

handlers! {
    GPIOA {
        DESK.ring(0, 0, 0);
    }
    GPIOB {
        begin_anew();
    }
    // The registers are used behind what changes who runs.
    GPIOD {
        if process(0).stop().is_ok() {
            PERMITS.give();
        }
        floats::stay(0x0d0d_0000);
    }
    GPIOE {
        DESK.ring(1, 1, 0);
        begin_anew();
    }
}

#[entry]
fn main() -> ! {
    run(&PROCESSES, &[&HIGH], judge)
}
