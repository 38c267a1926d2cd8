//! A process beside an interrupt task, an async task, an actor and a thread, in one image: on the
//! RP2040 of a Raspberry Pi Pico.
#![no_std]
#![no_main]

use quintet::process::alarm::Alarm;
use quintet::process::console::Console;
use rp_pac::Interrupt;

#[rustfmt::skip]
#[allow(dead_code, missing_docs)]
#[path = "../../../boards/pico/src/board.rs"]
mod board;

quintet::systick_timer!(Clock, 125_000_000);

static ALARM: Alarm<1> = Alarm::new();
static CONSOLE: Console<1> = Console::new(|| quintet::pend(Interrupt::SWI_IRQ_0));

#[quintet::app(
    device = rp_pac,
    peripherals = false,
    dispatchers = [SWI_IRQ_1],
    processes = [
        priority = 1,
        count = 1,
        flash = 0x1002_0000..0x1004_0000,
        memory = 0x2000_4000..0x2001_0000,
        drivers = [&super::ALARM, &super::CONSOLE],
    ],
)]
mod app {
    use quintet::sync::{Channel, Signal};
    use semihosting::println;

    use super::{CONSOLE, Clock};

    /// Lines that the process has written: from an actor to an async task.
    static LINES: Channel<u32, 4> = Channel::new();
    /// How many bytes there were in all: from the async task to a thread.
    static ALL: Signal<u32> = Signal::new();

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        super::board::start();
        Clock::start(cx.core.SYST);
        // SAFETY: the linker script leaves both ranges to the processes.
        unsafe { PROCESSES.start(|_| ()) };
        assert!(adds::spawn().is_ok());
        (Shared {}, Local {})
    }

    /// The interrupt: hands over what the process writes, not more than once in 4 ms.
    #[task(binds = SWI_IRQ_0, priority = 3, period = "4 ms", deadline = "1 ms")]
    fn moves(_: moves::Context) {
        while let Some(byte) = CONSOLE.next_byte() {
            measures::post(byte);
        }
    }

    /// The actor: measures lines.
    #[actor(priority = 2, queue = 64, local = [length: u32 = 0])]
    fn measures(cx: measures::Context, byte: u8) {
        *cx.local.length += 1;
        if byte == b'\n' {
            let length = core::mem::take(cx.local.length);
            println!("actor: a line of {length} bytes");
            assert!(LINES.try_send(length).is_ok());
        }
    }

    /// The async task: adds up what the actor has measured.
    #[task(priority = 2)]
    async fn adds(_: adds::Context) {
        let mut all = 0;
        for _ in 0..3 {
            all += LINES.receive().await;
            println!("async task: {all} bytes by now");
        }
        ALL.signal(all);
    }

    /// The thread: more urgent than no process, and runs while the process waits.
    #[thread(priority = 1, stack = 1024)]
    fn ends(cx: ends::Context) {
        println!("thread: waits");
        let all = ALL.wait().block(&cx.thread);
        println!("thread: {all} bytes in all");
        semihosting::process::exit(0)
    }
}
