//! Start-up: priorities and enables are in place in `init`, the timers of nobody are touched, an
//! application without idle sleeps, also with SLEEPONEXIT.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0, GPIOA])]
mod app {
    use cortex_m::peripheral::NVIC;
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(mut cx: init::Context) -> (Shared, Local) {
        for interrupt in
            [Interrupt::SSI0, Interrupt::QEI0, Interrupt::GPIOA, Interrupt::UART0, Interrupt::UART1]
        {
            hprintln!("{:#x} {}", NVIC::get_priority(interrupt), NVIC::is_enabled(interrupt));
        }
        let systick = cortex_m::peripheral::scb::SystemHandler::SysTick;
        hprintln!("{:#x}", cortex_m::peripheral::SCB::get_priority(systick));
        cx.core.SCB.set_sleeponexit();
        cx.core.SYST.set_reload(5000);
        cx.core.SYST.clear_current();
        cx.core.SYST.enable_counter();
        cx.core.SYST.enable_interrupt();
        (Shared {}, Local {})
    }

    #[task(binds = SysTick, priority = 6, local = [ticks: u32 = 0])]
    fn tick(cx: tick::Context) {
        *cx.local.ticks += 1;
        three::spawn().unwrap();
        if *cx.local.ticks == 3 {
            hprintln!("three ticks");
            debug::exit(debug::EXIT_SUCCESS);
        }
    }

    #[task(binds = UART0, priority = 5)]
    fn receive(_: receive::Context) {}

    #[task(priority = 1)]
    async fn one(_: one::Context) {
        hprintln!("one");
    }

    #[task(priority = 3)]
    async fn three(_: three::Context) {
        hprintln!("three {:?}", one::spawn());
    }
}
