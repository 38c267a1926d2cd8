//! spawn may be called from init, idle, hardware tasks, software tasks, its own task, inside locks,
//! with interrupts off, from other modules and through function pointers.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

use semihosting as _;

mod elsewhere {
    pub fn spawn(from: &'static str) -> Result<(), &'static str> {
        crate::app::say::spawn(from)
    }
}

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {
        value: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        say::spawn("init").unwrap();
        hprintln!("busy: {:?}", crate::elsewhere::spawn("again"));
        (Shared { value: 0 }, Local {})
    }

    #[idle(shared = [value])]
    fn idle(mut cx: idle::Context) -> ! {
        say::spawn("idle").unwrap();
        crate::elsewhere::spawn("another module").unwrap();
        cx.shared.value.lock(|value| {
            say::spawn("a lock").unwrap();
            *value += 1;
            hprintln!("unlock");
        });
        cortex_m::interrupt::free(|_| {
            say::spawn("a critical section").unwrap();
            hprintln!("end of the section");
        });
        let spawn: fn(&'static str) -> Result<(), &'static str> = say::spawn;
        spawn("a function pointer").unwrap();
        quintet::pend(Interrupt::UART0);
        low::spawn().unwrap();
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    #[task(binds = UART0, priority = 1)]
    fn below(_: below::Context) {
        say::spawn("a hardware task below").unwrap();
        quintet::pend(Interrupt::UART1);
    }

    #[task(binds = UART1, priority = 3)]
    fn above(_: above::Context) {
        say::spawn("a hardware task above").unwrap();
        hprintln!("above ends");
    }

    #[task(priority = 1)]
    async fn low(_: low::Context) {
        say::spawn("a software task").unwrap();
        hprintln!("itself: {:?}", low::spawn());
    }

    #[task(priority = 2, shared = [value])]
    async fn say(mut cx: say::Context, from: &'static str) {
        cx.shared.value.lock(|value| *value += 1);
        hprintln!("from {}", from);
    }
}
