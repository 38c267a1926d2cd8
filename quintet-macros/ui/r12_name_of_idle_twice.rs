//! R12: where two functions have one name, only that is reported: no message could tell them apart.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    #[shared]
    struct Shared {
        total: u32,
    }

    #[local]
    struct Local {
        count: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { total: 0 }, Local { count: 0 })
    }

    #[idle(local = [count], shared = [total])]
    fn foo(_: foo::Context) -> ! {
        loop {}
    }

    #[task(local = [count], shared = [&total])]
    async fn foo(_: foo::Context) {}
}
