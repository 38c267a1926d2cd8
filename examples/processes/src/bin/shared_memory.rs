//! Three processes: two share memory and notify each other, and one uses pins, two of which a wire
//! joins.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicBool, Ordering};

use lm3s6965::Interrupt;
use quintet::process::console::Console;
use quintet::process::gpio::{Gpio, Pins};
use quintet::process::ipc::Ipc;

static CONSOLE: Console<3> = Console::new(|| quintet::pend(Interrupt::GPIOA));
static IPC: Ipc<3> = Ipc::new();
/// Pins of no chip: what one end of the wire is driven to, its other end hears.
static PINS: Gpio<3, 2> = Gpio::new(Pins {
    set_up: |_, _| {},
    write: |_, level| {
        if WIRE.swap(level, Ordering::Relaxed) != level {
            quintet::pend(Interrupt::GPIOB);
        }
    },
    read: |_| WIRE.load(Ordering::Relaxed),
    listen: |_, _| {},
});
static WIRE: AtomicBool = AtomicBool::new(false);

#[quintet::app(
    device = lm3s6965,
    processes = [
        priority = 1,
        count = 3,
        flash = 0x0002_0000..0x0004_0000,
        memory = 0x2000_4000..0x2001_0000,
        drivers = [&super::CONSOLE, &super::IPC, &super::PINS],
    ],
)]
mod app {
    use core::sync::atomic::Ordering;

    use quintet::process::Status;
    use semihosting::{print, println};

    use super::{CONSOLE, PINS, WIRE};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // SAFETY: the linker script leaves both ranges to the processes.
        unsafe { PROCESSES.start(|_| ()) };
        (Shared {}, Local {})
    }

    /// The service never ends.
    #[idle]
    fn idle(_: idle::Context) -> ! {
        let all = PROCESSES.processes();
        while all.iter().filter(|process| process.status() == Status::Alive).count() > 1 {}
        for process in all {
            println!("{}: {:?}", process.name(), process.status());
        }
        semihosting::process::exit(0)
    }

    /// The wire has another level.
    #[task(binds = GPIOB, priority = 4)]
    fn changed(_: changed::Context) {
        for pin in 0..2 {
            PINS.changed(pin, WIRE.load(Ordering::Relaxed));
        }
    }

    #[task(binds = GPIOA, priority = 3)]
    fn moves(_: moves::Context) {
        while let Some(byte) = CONSOLE.next_byte() {
            print!("{}", char::from(byte));
        }
    }
}
