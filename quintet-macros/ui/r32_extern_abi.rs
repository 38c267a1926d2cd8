//! R32: tasks are Rust functions, also where their body is elsewhere.

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

    extern "C" {
        #[task(binds = UART0)]
        fn receive(_: receive::Context);
    }
}
