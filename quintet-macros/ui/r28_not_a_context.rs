//! R28: the first parameter is the context, named with the function's own name.

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

    #[task(binds = UART0)]
    fn receive(byte: u8) {}

    #[task(binds = UART1)]
    fn send(_: Context) {}

    #[task(binds = UART2)]
    fn report(_: &report::Context) {}

    #[task(binds = SSI0)]
    fn measure(_: measure::Context<u32>) {}
}
