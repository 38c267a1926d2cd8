//! R35: an entry of a list is the bare name of a resource.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        count: u32,
        level: u32,
    }

    #[local]
    struct Local {
        own: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0, level: 0 }, Local { own: 0 })
    }

    #[task(binds = UART0, shared = [self::count])]
    fn path(_: path::Context) {}

    #[task(binds = UART1, shared = [&mut count])]
    fn mutable(_: mutable::Context) {}

    #[task(binds = UART2, shared = [count: u32 = 0])]
    fn value(_: value::Context) {}

    #[task(binds = SSI0, local = [&own])]
    fn reference(_: reference::Context) {}

    #[task(binds = I2C0, local = [app::own])]
    fn local_path(_: local_path::Context) {}

    #[task(binds = ADC0, shared = [0], local = ["own"])]
    fn literal(_: literal::Context) {}

    #[task(binds = ADC1, shared = [count level], local = own)]
    fn no_comma(_: no_comma::Context) {}
}
