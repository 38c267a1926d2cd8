//! R39: two tasks of which only one exists may own one field, if their conditions say so.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        count: u32,
        sum: u32,
        last: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local { count: 0, sum: 0, last: 0 })
    }

    #[idle(local = [last])]
    fn idle(_: idle::Context) -> ! {
        loop {}
    }

    #[cfg(feature = "fast")]
    #[task(binds = UART0, local = [count, sum, last])]
    fn fast(_: fast::Context) {}

    #[task(binds = UART1, local = [count])]
    fn always(_: always::Context) {}

    #[cfg(feature = "slow")]
    #[task(binds = UART2, local = [sum])]
    fn slow(_: slow::Context) {}
}
