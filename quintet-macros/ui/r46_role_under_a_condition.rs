//! R46: a role has no condition, as the application is read before conditions are decided.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    #[cfg_attr(all(), shared)]
    struct Shared {
        #[cfg_attr(feature = "one", lock_free)]
        total: u32,
    }

    #[cfg_attr(all(), allow(dead_code), local)]
    struct Local {}

    #[cfg_attr(not(test), init)]
    fn init(_: init::Context) -> (Shared, Local) {
        go::spawn().ok();
        (Shared { total: 0 }, Local {})
    }

    #[cfg_attr(not(feature = "h7"), task(priority = 1, shared = [total, missing]))]
    #[cfg_attr(feature = "h7", task(priority = 2, shared = [total]))]
    async fn go(mut cx: go::Context) {
        cx.shared.total.lock(|total| *total += 1);
    }

    #[cfg_attr(any(), cfg_attr(all(), thread(priority = 1, stack = 512)))]
    fn work(_: work::Context) {}

    extern "Rust" {
        #[cfg_attr(any(), task(binds = UART0, priority = 3))]
        fn receive(_: receive::Context);
    }
}
