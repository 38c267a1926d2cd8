//! A process makes calls, or does what it must not; a test interrupts before each instruction. A
//! second process, a thread and three tasks count what reaches them. `idle` judges.
#![no_std]
#![no_main]

#[path = "../judge.rs"]
mod judge;

use judge::Judge;
use quintet::process::{Fault, Policy, Process};
use riscv as _;
use riscv_rt as _;
use semihosting::println;

static JUDGE: Judge = Judge::new();

/// Says the cause alone: where exactly, depends on the compiler.
fn on_fault(_: &Process, fault: &Fault) -> Policy {
    judge::end();
    println!("it {}", fault.cause);
    Policy::Stop
}

#[quintet::app(
    device = quintet::riscv,
    peripherals = false,
    processes = [
        priority = [1, 2],
        count = 2,
        flash = 0x8002_0000..0x8004_0000,
        memory = 0x8004_4000..0x8005_0000,
        drivers = [&super::JUDGE],
        on_fault = super::on_fault,
    ],
)]
mod app {
    use core::sync::atomic::{AtomicU32, Ordering};

    use quintet::process::Status;
    use quintet::sync::Semaphore;
    use semihosting::println;

    use super::JUDGE;
    use super::judge::{RUNS, begin_timer, count, end};

    /// What the second process and the thread were sent, each number by one context.
    static SENT: AtomicU32 = AtomicU32::new(0);
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    static PERMITS: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        begin_timer();
        // SAFETY: the linker script leaves both ranges to the processes.
        unsafe { PROCESSES.start(|_| ()) };
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        let [first, second] = PROCESSES.processes() else { unreachable!("there are two") };
        while first.status() == Status::Alive {
            // SAFETY: waiting breaks no memory safety.
            unsafe { core::arch::asm!("wfi") };
        }
        end();
        println!("{:?}", first.status());
        assert_eq!(second.status(), Status::Alive, "the other process has ended");
        let of = |number: &AtomicU32| number.load(Ordering::Relaxed);
        assert_eq!(of(&JUDGE.counted), of(&SENT), "an upcall was lost");
        assert_eq!(of(&TAKEN), of(&GIVEN), "a permit was lost");
        semihosting::process::exit(0)
    }

    #[thread(priority = 3, stack = 1024)]
    fn takes(cx: takes::Context) {
        loop {
            PERMITS.take().block(&cx.thread);
            count(&TAKEN);
        }
    }

    #[task(binds = SOFTWARE1, priority = 4)]
    fn one(_: one::Context) {
        count(&RUNS[1]);
    }

    #[task(binds = SOFTWARE2, priority = 5)]
    fn two(_: two::Context) {
        count(&RUNS[2]);
        count(&GIVEN);
        PERMITS.give();
    }

    #[task(binds = SOFTWARE3, priority = 6)]
    fn three(_: three::Context) {
        count(&RUNS[3]);
        for other in JUDGE.clients.noted() {
            if other.upcall(0, [0; 3]).is_ok() {
                count(&SENT);
            }
        }
    }
}
