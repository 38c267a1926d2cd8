//! Three processes that share a driver of the application's own: it tells each when as many pulses
//! have come as it wants.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use lm3s6965::Interrupt;
use quintet::process::console::Console;
use quintet::process::{Answer, Client, Clients, Driver, ErrorCode, Slots};

quintet::systick_timer!(Clock, 12_000_000);

static CONSOLE: Console<3> = Console::new(|| quintet::pend(Interrupt::GPIOA));
static PULSES: Pulses<3> = Pulses::new();

/// Counts pulses for `N` processes.
struct Pulses<const N: usize> {
    /// Since the beginning.
    count: AtomicU32,
    /// For each process, by how many pulses it wants to hear; and one upcall.
    clients: Clients<N, AtomicU32, 1>,
}

impl<const N: usize> Pulses<N> {
    const fn new() -> Self {
        let clients = Clients::new([const { AtomicU32::new(0) }; N]);
        Self { count: AtomicU32::new(0), clients }
    }

    /// A pulse has come. For the task of the interrupt that says so.
    fn count(&self) {
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        for client in self.clients.noted() {
            let every = self.clients.state(client.index()).load(Ordering::Relaxed);
            if count.is_multiple_of(every) {
                // A process with ten upcalls due doesn't hear of this one.
                let _no_room = client.upcall(0, [count, 0, 0]);
            }
        }
    }
}

impl<const N: usize> Driver for Pulses<N> {
    const NUMBER: u32 = 0x8000_0001;
    const PLACES: usize = N;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    /// Command 1 asks for an upcall at each pulse whose number is a multiple of the argument.
    fn command(&'static self, client: Client, command: u32, every: u32, _: u32) -> Answer {
        match command {
            1 if every == 0 => Answer::Failure(ErrorCode::Invalid),
            1 => {
                self.clients.state(client.index()).store(every, Ordering::Relaxed);
                self.clients.note(client);
                Answer::Success
            }
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }

    fn forget(&'static self, client: Client) {
        self.clients.drop_note(client);
    }
}

#[quintet::app(
    device = lm3s6965,
    dispatchers = [SSI0],
    processes = [
        priority = 1,
        count = 3,
        flash = 0x0002_0000..0x0004_0000,
        memory = 0x2000_4000..0x2001_0000,
        drivers = [&super::CONSOLE, &super::PULSES],
    ],
)]
mod app {
    use embassy_time::{Duration, Timer};
    use quintet::process::Status;
    use semihosting::{print, println};

    use super::{CONSOLE, Clock, Interrupt, PULSES};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        // SAFETY: the linker script leaves both ranges to the processes.
        unsafe { PROCESSES.start(|_| ()) };
        assert!(pulses::spawn().is_ok());
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

    /// Stands for a line that brings a pulse each ten milliseconds.
    #[task(priority = 2)]
    async fn pulses(_: pulses::Context) {
        loop {
            Timer::after(Duration::from_millis(10)).await;
            quintet::pend(Interrupt::GPIOB);
        }
    }

    #[task(binds = GPIOB, priority = 4)]
    fn pulse(_: pulse::Context) {
        PULSES.count();
    }

    #[task(binds = GPIOA, priority = 3)]
    fn moves(_: moves::Context) {
        while let Some(byte) = CONSOLE.next_byte() {
            print!("{}", char::from(byte));
        }
    }
}
