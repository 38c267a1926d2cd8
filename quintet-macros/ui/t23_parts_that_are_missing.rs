//! T23: without `init`, a device and parts that can be read, the rest is checked all the same.

#![no_std]
#![no_main]

#[quintet::app(devise = lm3s6965, dispatchers = [UART0])]
mod app {
    #[shared]
    struct Shared {
        #[lock_free]
        total: u32,
    }

    #[local]
    struct Local {
        count: u32,
    }

    #[task(binds = UART0, prioritty = 2, shared = [total], local = [count])]
    fn receive(_: receive::Context) {}

    #[task(binds = UART0, priority = 3, shared = [total], local = [count])]
    fn send(_: send::Context) {}

    #[task(binds = GPIOA, priority = LOW, shared = [total, missing])]
    fn report(_: report::Context) {}

    #[task(binds = GPIOB, priority = 1, shared = [total])]
    fn log(_: log::Context) {}
}
