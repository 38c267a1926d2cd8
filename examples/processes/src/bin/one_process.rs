//! One process, and one interrupt task, which prints what the process writes.
#![no_std]
#![no_main]

use lm3s6965::Interrupt;
use quintet::process::alarm::Alarm;
use quintet::process::console::Console;

quintet::systick_timer!(Clock, 12_000_000);

static ALARM: Alarm<1> = Alarm::new();
static CONSOLE: Console<1> = Console::new(|| quintet::pend(Interrupt::GPIOA));

#[quintet::app(
    device = lm3s6965,
    processes = [
        priority = 1,
        count = 1,
        flash = 0x0002_0000..0x0004_0000,
        memory = 0x2000_4000..0x2001_0000,
        drivers = [&super::ALARM, &super::CONSOLE],
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

    // Runs while the process waits.
    #[idle]
    fn idle(_: idle::Context) -> ! {
        while PROCESSES.processes().iter().any(|process| process.status() == Status::Alive) {
            cortex_m::asm::wfi();
        }
        for process in PROCESSES.processes() {
            println!("{}: {:?}", process.name(), process.status());
        }
        semihosting::process::exit(0)
    }

    /// The console has pended it: a process has written something.
    #[task(binds = GPIOA, priority = 2)]
    fn moves(_: moves::Context) {
        while let Some(byte) = CONSOLE.next_byte() {
            print!("{}", char::from(byte));
        }
    }
}
