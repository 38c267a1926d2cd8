//! R45: nobody reaches a proxy by a reference in a static, although a proxy is `Sync`.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    use core::cell::Cell;
    use cortex_m::interrupt::{Mutex, free};
    use shared_resources::count_that_needs_to_be_locked as Count;

    static KEPT: Mutex<Cell<Option<&'static Count<'static>>>> = Mutex::new(Cell::new(None));

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

    #[task(priority = 1, shared = [count], local = [place: Option<Count<'static>> = None])]
    async fn sample(cx: sample::Context<'static>) -> ! {
        let count: &'static Count<'static> = cx.local.place.insert(cx.shared.count);
        free(|token| KEPT.borrow(token).set(Some(count)));
        core::future::pending().await
    }
}
