//! The timer of the platform as the interrupt of a task: a lock holds it off, a more urgent task
//! preempts it, and it comes again as long as nobody has served it.
#![no_std]
#![no_main]

use riscv_rt as _;
use semihosting as _;

/// The interrupt comes while `mtime` isn't below this.
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;
/// The time, in ticks.
const MTIME: *const u32 = 0x0200_bff8 as *const u32;

/// Lets the timer's interrupt come after some ticks, before which nothing else ends.
fn arm() {
    // SAFETY: nobody else uses the timer.
    unsafe {
        MTIMECMP.write_volatile(MTIME.read_volatile() + 200);
        MTIMECMP.add(1).write_volatile(0);
    }
}

/// Waits until the interrupt is pending.
fn wait() {
    // SAFETY: reading has no effect.
    while unsafe { MTIME.read_volatile() < MTIMECMP.read_volatile() } {}
}

/// Lets it not come any more.
fn disarm() {
    // SAFETY: nobody else uses the timer.
    unsafe { MTIMECMP.add(1).write_volatile(u32::MAX) };
}

#[quintet::app(device = quintet::riscv, peripherals = false)]
mod app {
    use quintet::riscv::Interrupt;
    use semihosting::{println, process};

    use super::{arm, disarm, wait};

    #[shared]
    struct Shared {
        sum: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        disarm();
        (Shared { sum: 0 }, Local {})
    }

    #[idle(shared = [sum])]
    fn idle(mut cx: idle::Context) -> ! {
        cx.shared.sum.lock(|sum| {
            arm();
            wait();
            println!("idle: the lock holds the timer off");
            *sum += 1;
        });
        println!("idle: behind the lock, sum {}", cx.shared.sum.lock(|sum| *sum));
        quintet::pend(Interrupt::MachineTimer);
        println!("idle: pended, sum {}", cx.shared.sum.lock(|sum| *sum));
        quintet::pend(Interrupt::SOFTWARE1);
        process::exit(0)
    }

    #[task(binds = MachineTimer, priority = 2, shared = [sum], local = [runs: u32 = 0])]
    fn timer(mut cx: timer::Context) {
        *cx.local.runs += 1;
        println!("timer: begins, {}", cx.local.runs);
        quintet::pend(Interrupt::SOFTWARE0);
        if *cx.local.runs == 1 {
            quintet::pend(Interrupt::SOFTWARE1);
        }
        cx.shared.sum.lock(|sum| *sum += 10);
        // The first time nobody serves it, so that it comes again.
        if *cx.local.runs > 1 {
            disarm();
        }
        println!("timer: ends");
    }

    #[task(binds = SOFTWARE0, priority = 3)]
    fn above(_: above::Context) {
        println!("above");
    }

    #[task(binds = SOFTWARE1, priority = 1)]
    fn below(_: below::Context) {
        println!("below");
        arm();
        wait();
        println!("below: the timer has preempted");
    }
}
