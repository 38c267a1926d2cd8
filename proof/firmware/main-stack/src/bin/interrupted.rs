//! Main's stack overflows in an interrupt task, beside a thread.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    use main_firmware::overflow;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[thread(priority = 1, stack = 1024)]
    fn worker(_: worker::Context) {
        quintet::pend(lm3s6965::Interrupt::GPIOA);
    }

    #[task(binds = GPIOA, priority = 3)]
    fn interrupted(_: interrupted::Context) {
        overflow()
    }
}
