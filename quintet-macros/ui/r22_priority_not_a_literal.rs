//! R22: a priority is an unsuffixed literal that fits into a byte.

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

    #[task(binds = UART0, priority = 2u8)]
    fn suffixed(_: suffixed::Context) {}

    #[task(binds = UART1, priority = -1)]
    fn negative(_: negative::Context) {}

    #[task(binds = UART2, priority = 256)]
    fn large(_: large::Context) {}

    #[task(binds = SSI0, priority = HIGH)]
    fn constant(_: constant::Context) {}

    #[task(binds = I2C0, priority = "2")]
    fn text(_: text::Context) {}
}
