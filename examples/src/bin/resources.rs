//! Resources: data that tasks of different priorities share, without races and without runtime cost
//! for the most urgent one.
//!
//! A lock holds off the tasks that use the resource too, and no other: here `urgent`, which doesn't
//! use it, runs in the middle of a lock, while `reader` waits for its end.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    use lm3s6965::Interrupt;
    use semihosting::println;

    #[shared]
    struct Shared {
        // begin: declare
        temperature: u32,
        limits: (u32, u32),
        name: &'static str,
        // end: declare
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { temperature: 20, limits: (10, 30), name: "boiler" }, Local {})
    }

    #[idle(shared = [temperature, limits, &name])]
    fn idle(cx: idle::Context) -> ! {
        // begin: lock
        let mut temperature = cx.shared.temperature;
        temperature.lock(|temperature| {
            quintet::pend(Interrupt::GPIOA);
            quintet::pend(Interrupt::GPIOB);
            println!("idle: under the lock, temperature {temperature}");
            *temperature += 15;
        });
        // end: lock
        println!("idle: the lock is over");

        // begin: both
        let mut limits = cx.shared.limits;
        let too_hot =
            (&mut temperature, &mut limits).lock(|temperature, limits| *temperature > limits.1);
        // end: both
        println!("idle: {} too hot: {too_hot}", cx.shared.name);
        semihosting::process::exit(0)
    }

    // The most urgent user of `temperature` and `limits`: nobody can interrupt it who uses them, so
    // its locks cost nothing.
    #[task(binds = GPIOA, priority = 1, shared = [temperature, limits, &name])]
    fn reader(mut cx: reader::Context) {
        let temperature = cx.shared.temperature.lock(|temperature| *temperature);
        let limits = cx.shared.limits.lock(|limits| *limits);
        println!("reader: {} has {temperature}, limits {limits:?}", cx.shared.name);
    }

    #[task(binds = GPIOB, priority = 2)]
    fn urgent(_: urgent::Context) {
        println!("urgent: in the middle of somebody's lock");
    }
}
