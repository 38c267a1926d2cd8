//! An interrupt above the kernel's ceiling, which the application knows nothing of, uses an object.
#![no_std]
#![no_main]

use cortex_m::peripheral::NVIC;
use lm3s6965::Interrupt;
use main_firmware as _;
use quintet::sync::Semaphore;

static EVENTS: Semaphore = Semaphore::new(0);

/// At the hardware's highest priority, as after a reset.
#[unsafe(no_mangle)]
extern "C" fn UART0() {
    EVENTS.give();
}

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // SAFETY: no section relies on its being masked.
        unsafe { super::NVIC::unmask(super::Interrupt::UART0) };
        (Shared {}, Local {})
    }

    #[task(binds = GPIOA, priority = 1)]
    fn within(_: within::Context) {
        super::EVENTS.try_take().ok();
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        super::EVENTS.give();
        quintet::pend(super::Interrupt::GPIOA);
        semihosting::println!("the kernel's own may");
        quintet::pend(super::Interrupt::UART0);
        semihosting::println!("nothing has looked");
        semihosting::process::exit(0)
    }
}
