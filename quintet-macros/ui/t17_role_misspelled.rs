//! T17: a word that looks like a role is not left to the compiler.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[Shared]
    struct Shared {
        total: u32,
    }

    #[locals]
    struct Local {}

    #[inti]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { total: 0 }, Local {})
    }

    #[iddle]
    fn rest(_: rest::Context) -> ! {
        loop {}
    }

    #[thred(priority = 1, stack = 512)]
    fn worker(_: worker::Context) {}

    #[taks(binds = UART0, priority = 2, shared = [total])]
    fn receive(mut cx: receive::Context) {
        cx.shared.total.lock(|total| *total += 1);
    }

    extern "Rust" {
        #[tread(priority = 1, stack = 512)]
        fn elsewhere(_: elsewhere::Context);
    }

    // Nothing of these is close.
    #[inline]
    #[must_use]
    #[cold]
    pub fn user() -> u32 {
        1
    }
}
