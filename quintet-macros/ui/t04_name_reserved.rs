//! T04: a thread has a name, and that is not one of the kernel's.

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

    #[thread(priority = 1, stack = 512, name = "")]
    fn nameless(_: nameless::Context) {}

    #[thread(priority = 2, stack = 512)]
    fn idle(_: idle::Context) {}

    #[thread(priority = 3, stack = 512, name = "tasks at 1")]
    fn host(_: host::Context) {}

    // Nothing is hosted there.
    #[thread(priority = 4, stack = 512, name = "tasks at 2")]
    fn no_host(_: no_host::Context) {}

    #[task(priority = 1)]
    async fn log(_: log::Context) {}
}
