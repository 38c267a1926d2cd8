//! A08: an actor handles each event to its end; only an `async` one awaits, and none blocks.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4)]
    fn plain(cx: plain::Context, event: u8) {
        FLAG.take().block(&cx.thread);
        FLAG.take().await;
    }

    #[actor(priority = 1, queue = 4)]
    async fn waiting(cx: waiting::Context, event: u8) {
        FLAG.take().block(&cx.thread);
    }
}
