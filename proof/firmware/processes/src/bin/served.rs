//! Drivers that others serve: an async task, an actor and a thread of the application.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use semihosting::println;

#[quintet::app(
    device = lm3s6965,
    dispatchers = [GPIOB, GPIOC],
    processes = [
        priority = [1, 2],
        count = 2,
        flash = 0x0002_0000..0x0004_0000,
        memory = 0x2000_4000..0x2001_0000,
        drivers = [&super::CONSOLE, &BY_TASK, &BY_ACTOR, &BY_THREAD],
    ],
)]
mod app {
    use super::CONSOLE;
    use quintet::process::{Request, Served};
    use quintet::sync::Channel;
    use semihosting::{print, println};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    // begin: served
    /// What the task and the thread are asked.
    static OF_TASK: Channel<Request, 2> = Channel::new();
    static OF_THREAD: Channel<Request, 2> = Channel::new();

    /// Drivers of two processes, with one upcall each; the actor's reads a buffer as well.
    static BY_TASK: Served<0x8000_0011, 2, 1> =
        Served::new(|request| OF_TASK.try_send(request).is_ok());
    static BY_ACTOR: Served<0x8000_0012, 2, 1, 1> =
        Served::new(|request| adds::try_post(request).is_ok());
    static BY_THREAD: Served<0x8000_0013, 2, 1> =
        Served::new(|request| OF_THREAD.try_send(request).is_ok());

    /// Multiplies.
    #[task(priority = 5)]
    async fn multiplies(_: multiplies::Context) {
        loop {
            let request = OF_TASK.receive().await;
            let [first, second] = request.arguments;
            // Whose queue is full hears of it by none of these.
            let _no_room = request.answer(0, [first * second, 0, 0]);
        }
    }

    /// Adds the bytes of a buffer to a number.
    #[actor(priority = 4, queue = 2)]
    fn adds(_: adds::Context, request: Request) {
        let mut bytes = [0; 8];
        let count = request.read(0, 0, &mut bytes);
        let sum = bytes[..count].iter().map(|byte| u32::from(*byte)).sum::<u32>();
        let _no_room = request.answer(0, [sum + request.arguments[0], 0, 0]);
    }

    /// Subtracts. It restarts who asks by command 2 for the first time: its answer comes too late.
    #[thread(priority = 3, stack = 1024)]
    fn subtracts(cx: subtracts::Context) {
        loop {
            let request = OF_THREAD.receive().block(&cx.thread);
            let process = &PROCESSES.processes()[request.index()];
            let [first, second] = request.arguments;
            let mut difference = first - second;
            if request.command == 2 && process.restarts() == 0 {
                process.restart().expect("it has an application");
                println!("restarted, stale: {}", request.is_stale());
                difference = 1000;
            }
            let _no_room = request.answer(0, [difference, 0, 0]);
        }
    }
    // end: served

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // SAFETY: the linker script leaves them to the processes.
        unsafe { PROCESSES.start(|found| println!("{found}")) };
        multiplies::spawn().expect("it is spawned once");
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        while PROCESSES.processes().iter().any(|process| process.status().is_active()) {}
        for process in PROCESSES.processes() {
            println!("{} ends as {:?}", process.name(), process.status());
        }
        semihosting::process::exit(0)
    }

    /// Moves what processes write.
    #[task(binds = GPIOA, priority = 6)]
    fn moves(_: moves::Context) {
        while let Some(byte) = CONSOLE.next_byte() {
            print!("{}", char::from(byte));
        }
    }
}

static CONSOLE: quintet::process::console::Console<2> =
    quintet::process::console::Console::new(|| quintet::pend(lm3s6965::Interrupt::GPIOA));

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
