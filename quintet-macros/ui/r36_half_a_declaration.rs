//! R36: a variable of a task has a type and a value.

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

    #[task(binds = UART0, local = [a: u32])]
    fn no_value(_: no_value::Context) {}

    #[task(binds = UART1, local = [b = 0])]
    fn no_type(_: no_type::Context) {}

    #[task(binds = UART2, local = [c:])]
    fn nothing(_: nothing::Context) {}

    #[task(binds = SSI0, local = [d: u32 =])]
    fn missing_value(_: missing_value::Context) {}

    #[task(binds = I2C0, local = [e: = 0])]
    fn missing_type(_: missing_type::Context) {}
}
