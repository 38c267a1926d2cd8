//! A thread that would wait while it holds a resource that it shares with a level: the message
//! names both.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use cortex_m_semihosting::{debug, hprintln};

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use quintet::sync::Semaphore;

    static NOTHING: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {
        /// Of two threads.
        log: u32,
        /// Of a thread and a task.
        samples: u32,
        /// Of one thread.
        own: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { log: 0, samples: 0, own: 0 }, Local {})
    }

    #[task(priority = 3, shared = [samples])]
    async fn sampler(mut cx: sampler::Context) {
        cx.shared.samples.lock(|samples| *samples += 1);
    }

    #[thread(priority = 2, stack = 1024, shared = [log])]
    fn reader(mut cx: reader::Context) {
        cx.shared.log.lock(|log| *log += 1);
    }

    #[thread(priority = 1, stack = 1024, shared = [log, samples, own])]
    fn writer(mut cx: writer::Context) {
        cx.shared.own.lock(|own| *own += 1);
        let this = cx.thread;
        cx.shared.samples.lock(|samples| {
            *samples += 1;
            NOTHING.take().block(&this);
        });
    }
}

#[panic_handler]
fn panic(information: &PanicInfo<'_>) -> ! {
    hprintln!("{}", information.message());
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}
