//! T03: only the framework calls a thread's function.

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

    #[thread(priority = 3, stack = 1024)]
    fn worker<T>(_: worker::Context, value: T) {}

    #[thread(priority = 3, stack = 1024)]
    pub unsafe fn reader(_: reader::Context) -> u32 {
        0
    }

    #[thread(priority = 3, stack = 1024)]
    fn writer() {}

    #[thread(priority = 3, stack = 1024)]
    fn sleeper(_: sleeper::Context<'static>) {}
}
