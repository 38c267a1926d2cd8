//! R32: the block is there for functions with a role.

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
        fn helper(count: u32);

        static COUNT: u32;

        #[task(binds = UART0)]
        fn receive(_: receive::Context);
    }
}
