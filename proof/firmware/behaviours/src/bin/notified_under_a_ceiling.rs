//! A thread that was notified may park while it holds a resource that threads share, as it doesn't
//! wait; once, and not with interrupts off.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use cortex_m_semihosting::{debug, hprintln};

#[quintet::app(device = lm3s6965)]
mod app {
    use cortex_m_semihosting::hprintln;

    #[shared]
    struct Shared {
        log: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { log: 0 }, Local {})
    }

    /// More urgent than `writer`, and not than the ceiling.
    #[thread(priority = 2, stack = 1024, shared = [log], manual)]
    fn reader(mut cx: reader::Context) {
        writer::handle().unpark();
        let log = cx.shared.log.lock(|log| *log);
        hprintln!("reader finds {}", log);
    }

    #[thread(priority = 1, stack = 1024, shared = [log])]
    fn writer(mut cx: writer::Context) {
        let this = cx.thread;
        writer::handle().unpark();
        writer::handle().unpark();
        cx.shared.log.lock(|log| {
            let _ = reader::start();
            this.park();
            // The ceiling is as it was: `reader` runs behind the lock.
            *log += 1;
            hprintln!("writer has parked under the ceiling");
        });
        // 2. `reader` has notified it.
        cx.shared.log.lock(|log| {
            this.park();
            *log += 1;
            hprintln!("and once more, {}", log);
        });
        // 3. Without a notification it would wait.
        writer::handle().unpark();
        this.park();
        cx.shared.log.lock(|_| this.park());
    }
}

#[panic_handler]
fn panic(information: &PanicInfo<'_>) -> ! {
    hprintln!("{}", information.message());
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}
