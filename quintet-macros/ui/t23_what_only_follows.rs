//! T23: what can't be read is missing nowhere else.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, NOT A NAME], host_stack = 2048)]
mod app {
    #[shared]
    struct Shared<T> {
        total: T,
    }

    #[local]
    struct Local(u32);

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { total: 0 }, Local(0))
    }

    #[idle(shared = [total], local = [count])]
    fn idle(_: idle::Context) -> ! {
        loop {}
    }

    #[task(priority = HIGH)]
    async fn above(_: above::Context) {}

    #[task(priorrity = 1)]
    async fn beside(_: beside::Context) {}

    #[task(priority = 2)]
    async fn hosted(_: hosted::Context) {}

    #[task(priority = 1)]
    async fn hosted_too(_: hosted_too::Context) {}

    #[thread(priority = 3)]
    fn work(_: work::Context) {}
}
