//! Locks raise BASEPRI to the ceiling and put it back, in whatever order tasks interrupt each
//! other.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965)]
mod app {
    use cortex_m::register::{basepri, primask};
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    /// What masks: BASEPRI, and whether PRIMASK does.
    fn masks() -> (u8, bool) {
        (basepri::read(), primask::read().is_inactive())
    }

    #[shared]
    struct Shared {
        /// Users 0 and 2.
        low: u32,
        /// Users 1, 2 and 4.
        middle: u32,
        /// Users 3 and 5.
        high: u32,
        /// Users 0 and 8.
        top: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        hprintln!("init {:?}", masks());
        (Shared { low: 0, middle: 0, high: 0, top: 0 }, Local {})
    }

    #[idle(shared = [low, top])]
    fn idle(cx: idle::Context) -> ! {
        let (mut low, mut top) = (cx.shared.low, cx.shared.top);
        hprintln!("idle {:?}", masks());
        low.lock(|low| {
            quintet::pend(Interrupt::GPIOA);
            quintet::pend(Interrupt::GPIOC);
            cortex_m::asm::isb();
            hprintln!("low {:?}", masks());
            top.lock(|top| {
                quintet::pend(Interrupt::GPIOD);
                cortex_m::asm::isb();
                hprintln!("top and low {:?}", masks());
                *top += 1;
            });
            hprintln!("low again {:?}", masks());
            *low += 1;
        });
        cortex_m::asm::isb();
        hprintln!("idle again {:?}", masks());
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[task(binds = GPIOA, priority = 1, shared = [middle])]
    fn one(mut cx: one::Context) {
        hprintln!("  1 {:?}", masks());
        cx.shared.middle.lock(|_| {
            quintet::pend(Interrupt::GPIOB);
            cortex_m::asm::isb();
            hprintln!("  1 middle {:?}", masks());
        });
        cortex_m::asm::isb();
        hprintln!("  1 again {:?}", masks());
    }

    #[task(binds = GPIOB, priority = 2, shared = [low, middle])]
    fn two(cx: two::Context) {
        let (low, middle) = (cx.shared.low, cx.shared.middle);
        (low, middle).lock(|low, middle| {
            *low += 1;
            *middle += 1;
            hprintln!("    2 both {:?}", masks());
        });
        hprintln!("    2 {:?}", masks());
    }

    #[task(binds = GPIOC, priority = 3, shared = [high])]
    fn three(mut cx: three::Context) {
        hprintln!("      3 {:?}", masks());
        cx.shared.high.lock(|high| {
            *high += 1;
            quintet::pend(Interrupt::GPIOE);
            cortex_m::asm::isb();
            hprintln!("      3 high {:?}", masks());
        });
        cortex_m::asm::isb();
        hprintln!("      3 again {:?}", masks());
    }

    #[task(binds = GPIOE, priority = 5, shared = [high])]
    fn five(mut cx: five::Context) {
        cx.shared.high.lock(|high| hprintln!("          5 {} {:?}", high, masks()));
    }

    #[task(binds = GPIOD, priority = 8, shared = [top])]
    fn eight(mut cx: eight::Context) {
        cx.shared.top.lock(|top| hprintln!("                8 {} {:?}", top, masks()));
    }

    #[task(binds = GPIOF, priority = 4, shared = [middle])]
    fn four(mut cx: four::Context) {
        cx.shared.middle.lock(|middle| *middle += 1);
    }
}
