//! R26: a hardware task is a plain function of its context.

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
    async fn waits(_: waits::Context) {}

    #[task(binds = UART1)]
    fn diverges(_: diverges::Context) -> ! {
        loop {}
    }

    #[task(binds = UART2)]
    fn returns(_: returns::Context) -> u32 {
        0
    }

    #[task(binds = SSI0)]
    fn extra(_: extra::Context, speed: u32) {}

    #[task(binds = I2C0)]
    fn generic<T>(_: generic::Context) {}

    #[task(binds = ADC0)]
    extern "C" fn foreign(_: foreign::Context) {}

    #[task(binds = ADC1)]
    pub fn visible(_: visible::Context) {}

    #[task(binds = ADC2)]
    fn alone() {}

    #[task(binds = ADC3)]
    unsafe fn dangerous(_: dangerous::Context) {}
}
