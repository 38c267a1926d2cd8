//! The lock of a resource, within a section of a mutex of `embassy-sync` that is the kernel's lock,
//! leaves that closed.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965)]
mod app {
    use core::cell::Cell;

    use cortex_m::register::basepri;
    use cortex_m_semihosting::{debug, hprintln};
    use embassy_sync::blocking_mutex::Mutex;
    use lm3s6965::Interrupt;
    use quintet::sync::KernelRawMutex;

    /// What both add to, and how often `other` ran.
    static TOTAL: Mutex<KernelRawMutex, Cell<u32>> = Mutex::new(Cell::new(0));
    static CAME: Mutex<KernelRawMutex, Cell<u32>> = Mutex::new(Cell::new(0));

    /// Lets `other` run, if nothing masks it.
    fn ask() {
        quintet::pend(Interrupt::GPIOA);
        cortex_m::asm::isb();
    }

    #[shared]
    struct Shared {
        /// Both users lock it, and nothing else: nobody has to remember a mask for it.
        locks: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { locks: 0 }, Local {})
    }

    #[idle(shared = [locks])]
    fn idle(mut cx: idle::Context) -> ! {
        ask();
        hprintln!("times that it came, with nothing locked: {}", CAME.lock(Cell::get));
        TOTAL.lock(|total| {
            let before = total.get();
            let mask = basepri::read();
            cx.shared.locks.lock(|locks| *locks += 1);
            hprintln!("behind the lock the mask is the same: {}", basepri::read() == mask);
            ask();
            hprintln!("times that it came within the section: {}", CAME.lock(Cell::get) - 1);
            total.set(before + 1);
        });
        cortex_m::asm::isb();
        let locks = cx.shared.locks.lock(|locks| *locks);
        hprintln!("a total of {}, and {} locks", TOTAL.lock(Cell::get), locks);
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[task(binds = GPIOA, priority = 2, shared = [locks])]
    fn other(mut cx: other::Context) {
        cx.shared.locks.lock(|locks| *locks += 1);
        CAME.lock(|came| came.set(came.get() + 1));
        TOTAL.lock(|total| total.set(total.get() + 1));
    }
}
