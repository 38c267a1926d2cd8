//! R45: an actor keeps no proxy from one event to the next.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    use shared_resources::count_that_needs_to_be_locked as Count;

    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0 }, Local {})
    }

    #[actor(
        priority = 1, queue = 2, shared = [count], local = [kept: Option<Count<'static>> = None]
    )]
    fn led(cx: led::Context, _: u8) {
        *cx.local.kept = Some(cx.shared.count);
    }
}
