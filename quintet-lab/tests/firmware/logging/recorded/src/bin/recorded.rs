//! Jobs of two levels, a hardware task, an actor and two threads, which wake each other while the
//! recorder writes; then the program ends.
#![no_std]
#![no_main]

use lm3s6965 as _;
use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [GPIOB, GPIOC])]
mod app {
    use lm3s6965::Interrupt;
    use quintet::sync::Semaphore;

    static WORK: Semaphore = Semaphore::new(0);
    static DONE: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        assert!(quintet::recorder::start());
        (Shared {}, Local {})
    }

    #[task(binds = UART0, priority = 5)]
    fn received(_: received::Context) {
        cortex_m::asm::delay(50);
        let _ = urgent::spawn();
    }

    #[task(priority = 4)]
    async fn urgent(_: urgent::Context) {
        cortex_m::asm::delay(100);
    }

    #[task(priority = 3)]
    async fn slow(_: slow::Context, amount: u32) {
        cortex_m::asm::delay(amount);
        quintet::pend(Interrupt::UART0);
        cortex_m::asm::delay(amount);
        WORK.give();
    }

    #[actor(priority = 4, queue = 4)]
    fn counter(_: counter::Context, amount: u32) {
        cortex_m::asm::delay(amount);
    }

    #[thread(priority = 2, stack = 1024)]
    fn worker(cx: worker::Context) {
        loop {
            WORK.take().block(&cx.thread);
            cortex_m::asm::delay(200);
            counter::post(50);
            DONE.give();
        }
    }

    #[thread(priority = 1, stack = 1024)]
    fn asks(cx: asks::Context) {
        for round in 1..=5 {
            let _ = slow::spawn(100 * round);
            DONE.take().block(&cx.thread);
        }
        semihosting::process::exit(0)
    }
}
