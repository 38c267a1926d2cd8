//! R9: a function that takes the context of `init` isn't `init` without the attribute.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    fn init(cx: init::Context) -> (Shared, Local) {
        let _ = cx.core.SYST;
        (Shared {}, Local {})
    }

    #[task(binds = UART0, shared = [missing])]
    fn receive(_: receive::Context) {}
}
