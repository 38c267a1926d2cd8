//! Preemption: a more urgent task runs at once, an equal one afterwards.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    use lm3s6965::Interrupt;
    use semihosting::println;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        quintet::pend(Interrupt::GPIOA);
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        println!("idle");
        semihosting::process::exit(0)
    }

    #[task(binds = GPIOA, priority = 1)]
    fn low(_: low::Context) {
        println!("low: begins");
        quintet::pend(Interrupt::GPIOC);
        println!("low: ends");
    }

    #[task(binds = GPIOB, priority = 2)]
    fn middle(_: middle::Context) {
        println!("  middle");
    }

    #[task(binds = GPIOC, priority = 2)]
    fn also_middle(_: also_middle::Context) {
        println!("  also middle: begins");
        quintet::pend(Interrupt::GPIOB);
        quintet::pend(Interrupt::GPIOD);
        println!("  also middle: ends");
    }

    #[task(binds = GPIOD, priority = 3)]
    fn high(_: high::Context) {
        println!("    high");
    }
}
