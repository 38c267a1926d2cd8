//! R37: the type of a variable has a size and a value that can be constant.

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

    #[task(binds = UART0, local = [a: &'static u32 = &0])]
    fn reference(_: reference::Context) {}

    #[task(binds = UART1, local = [b: fn() = nothing])]
    fn function(_: function::Context) {}

    #[task(binds = UART2, local = [c: [u8] = [0; 4]])]
    fn slice(_: slice::Context) {}

    #[task(binds = SSI0, local = [d: dyn Send = 0])]
    fn object(_: object::Context) {}

    #[task(binds = I2C0, local = [e: impl Send = 0])]
    fn some(_: some::Context) {}

    #[task(binds = ADC0, local = [f: _ = 0])]
    fn open(_: open::Context) {}

    #[task(binds = ADC1, local = [g: ! = loop {}])]
    fn never(_: never::Context) {}
}
