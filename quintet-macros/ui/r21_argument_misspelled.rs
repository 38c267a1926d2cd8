//! R21: the argument that looks like it is named.

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

    #[idle]
    fn idle(_: idle::Context) -> ! {
        loop {}
    }

    #[task(bind = UART0, prio = 0x1)]
    fn receive(_: receive::Context) {}

    #[task(prority = 1, locals = [count: u32 = 0], share = [total], joinabel)]
    async fn blink(_: blink::Context) {}

    #[task(local_resources = [count: u32 = 0], shared_resources = [total])]
    async fn report(_: report::Context) {}

    #[task(stack = 512)]
    fn sleeper(_: sleeper::Context) {}
}
