//! A process that crashes is started anew, twice; another one doesn't notice. The kernel prints the
//! whole fault.
#![no_std]
#![no_main]

use lm3s6965::Interrupt;
use quintet::process::alarm::Alarm;
use quintet::process::console::Console;
use quintet::process::{Fault, Policy, Process};
use semihosting::println;

quintet::systick_timer!(Clock, 12_000_000);

static ALARM: Alarm<2> = Alarm::new();
static CONSOLE: Console<2> = Console::new(|| quintet::pend(Interrupt::GPIOA));

/// Starts a process anew, twice at most.
fn on_fault(process: &Process, fault: &Fault) -> Policy {
    let policy = if process.restarts() < 2 { Policy::Restart } else { Policy::Stop };
    println!("kernel: {fault}\nkernel: {policy:?}");
    policy
}

#[quintet::app(
    device = lm3s6965,
    processes = [
        priority = 1,
        count = 2,
        flash = 0x0002_0000..0x0004_0000,
        memory = 0x2000_4000..0x2001_0000,
        drivers = [&super::ALARM, &super::CONSOLE],
        on_fault = super::on_fault,
    ],
)]
mod app {
    use quintet::process::Status;
    use semihosting::{print, println};

    use super::{CONSOLE, Clock};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        // SAFETY: the linker script leaves both ranges to the processes.
        unsafe { PROCESSES.start(|_| ()) };
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        while PROCESSES.processes().iter().any(|process| process.status() == Status::Alive) {}
        for process in PROCESSES.processes() {
            println!("{}: {:?}", process.name(), process.status());
        }
        semihosting::process::exit(0)
    }

    #[task(binds = GPIOA, priority = 2)]
    fn moves(_: moves::Context) {
        while let Some(byte) = CONSOLE.next_byte() {
            print!("{}", char::from(byte));
        }
    }
}
