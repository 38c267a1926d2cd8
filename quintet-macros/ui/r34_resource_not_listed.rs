//! R34: a function uses the resources in its lists.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, GPIOA])]
mod app {
    #[shared]
    struct Shared {
        count: u32,
        level: u32,
    }

    #[local]
    struct Local {
        own: u32,
        other: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { count: 0, level: 0 }, Local { own: 0, other: 0 })
    }

    #[task(binds = UART0, shared = [count], local = [own])]
    fn receive(cx: receive::Context) {
        *cx.local.own += cx.shared.count + cx.shared.level;
        *cx.local.other += 1;
        *cx.local.other += 1;
    }

    #[actor(queue = 4)]
    fn table(mut cx: table::Context, event: u8) {
        cx.local.later.defer(event).ok();
        cx.shared.level.lock(|level| *level += 1);
    }

    #[idle]
    fn idle(cx: idle::Context) -> ! {
        // Another `cx`.
        let cx = another(cx);
        loop {
            cx.local.anything();
        }
    }
}
