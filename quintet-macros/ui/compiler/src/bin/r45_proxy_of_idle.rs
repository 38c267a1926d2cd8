//! R45: idle keeps no proxy in what lives forever.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    use shared_resources::count_that_needs_to_be_locked as Count;

    #[shared]
    struct Shared {
        count: u32,
        kept: Option<Count<'static>>,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0, kept: None }, Local {})
    }

    #[idle(shared = [count, kept])]
    fn idle(mut cx: idle::Context<'static>) -> ! {
        cx.shared.kept.lock(|kept| *kept = Some(cx.shared.count));
        loop {}
    }

    #[task(binds = UART0, shared = [count])]
    fn receive(_: receive::Context) {}
}
