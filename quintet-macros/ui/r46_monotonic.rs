//! R46: there is no time in the grammar.

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

    #[monotonic(binds = SysTick, default = true)]
    type Clock = Systick<1000>;
}
