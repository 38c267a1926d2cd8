//! All five models in one image: an interrupt task, an async task, an actor, a thread and
//! processes.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use semihosting::println;

#[quintet::app(
    device = lm3s6965,
    dispatchers = [GPIOB, GPIOC],
    processes = [
        priority = 1,
        count = 2,
        flash = 0x0002_0000..0x0004_0000,
        memory = 0x2000_4000..0x2001_0000,
        drivers = [&super::CONSOLE],
        on_fault = super::on_fault,
    ],
)]
mod app {
    use super::CONSOLE;
    use quintet::process::Status;
    use quintet::sync::Signal;
    use semihosting::{print, println};

    #[shared]
    struct Shared {
        bytes: u32,
    }

    #[local]
    struct Local {}

    static DONE: Signal<u32> = Signal::new();

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // SAFETY: the linker script leaves them to the processes.
        unsafe { PROCESSES.start(|found| println!("{found}")) };
        waits::spawn().expect("it is spawned once");
        (Shared { bytes: 0 }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        while PROCESSES.processes().iter().any(|process| process.status() == Status::Alive) {}
        for process in PROCESSES.processes() {
            println!("{} ends as {:?}", process.name(), process.status());
        }
        semihosting::process::exit(0)
    }

    /// Moves what processes write.
    #[task(binds = GPIOA, priority = 4, shared = [bytes])]
    fn moves(mut cx: moves::Context) {
        while let Some(byte) = CONSOLE.next_byte() {
            print!("{}", char::from(byte));
            cx.shared.bytes.lock(|bytes| *bytes += 1);
            if byte == b'\n' {
                counts::post(byte);
            }
        }
    }

    /// Counts lines.
    #[actor(priority = 3, queue = 4, local = [lines: u32 = 0])]
    fn counts(cx: counts::Context, _line: u8) {
        *cx.local.lines += 1;
        DONE.signal(*cx.local.lines);
    }

    /// Hears of each line, in an executor.
    #[task(priority = 2, shared = [bytes])]
    async fn waits(mut cx: waits::Context) {
        loop {
            let lines = DONE.wait().await;
            let bytes = cx.shared.bytes.lock(|bytes| *bytes);
            println!("(line {lines}, byte {bytes})");
        }
    }

    /// Less urgent than none of the processes, and yet it runs: they wait for the console.
    #[thread(priority = 1, stack = 1024)]
    fn runs(_: runs::Context) {
        println!("a thread runs");
    }
}

static CONSOLE: quintet::process::console::Console<2> =
    quintet::process::console::Console::new(|| quintet::pend(lm3s6965::Interrupt::GPIOA));

fn on_fault(
    _: &quintet::process::Process,
    fault: &quintet::process::Fault,
) -> quintet::process::Policy {
    println!("{fault}");
    quintet::process::Policy::Stop
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
