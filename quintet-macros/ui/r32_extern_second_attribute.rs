//! R32: attributes of a function that is elsewhere belong there.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    extern "Rust" {
        #[task(binds = UART0)]
        #[inline(never)]
        fn receive(_: receive::Context);

        #[task(binds = UART1)]
        #[idle]
        fn send(_: send::Context);
    }
}
