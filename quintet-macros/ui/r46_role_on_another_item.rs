//! R46: functions and structs have roles, nothing else.

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
    struct Receiver {}

    #[shared]
    fn count() {}

    #[local]
    enum Own {}

    #[idle]
    static IDLE: u32 = 0;

    #[shared(lock_free)]
    struct Extra {}
}
