//! R24: exceptions of fixed priority start no task.

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

    #[task(binds = NonMaskableInt)]
    fn alarm(_: alarm::Context) {}

    #[task(binds = HardFault)]
    fn fault(_: fault::Context) {}
}
