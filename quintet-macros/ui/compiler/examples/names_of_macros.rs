//! Macros of the user's that are called like the library's, as some of `defmt`'s are, and items
//! with names that expansions have a use for.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;

#[expect(unused_macros, reason = "what is generated calls the library's")]
macro_rules! assert {
    () => {
        compile_error!("this is the user's")
    };
}

#[expect(unused_macros, reason = "what is generated calls the library's")]
macro_rules! concat {
    () => {
        compile_error!("this is the user's")
    };
}

#[expect(unused_macros, reason = "what is generated calls the library's")]
macro_rules! stringify {
    () => {
        compile_error!("this is the user's")
    };
}

#[expect(unused_macros, reason = "what is generated calls the library's")]
macro_rules! panic {
    () => {
        compile_error!("this is the user's")
    };
}

#[expect(unused_macros, reason = "what is generated calls the library's")]
macro_rules! unreachable {
    () => {
        compile_error!("this is the user's")
    };
}

/// What time is in this program.
struct Time;

impl Time {
    /// The processor's clock.
    const HZ: u32 = 12_000_000;
}

/// What the clock's handler has.
const DRIVER: u8 = 2;

quintet::systick_timer!(Clock, Time::HZ, priority = DRIVER, priority_bits = 3);

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        super::Clock::start(cx.core.SYST);
        (Shared { count: 0 }, Local {})
    }

    #[task(binds = UsageFault, priority = 3, shared = [count])]
    fn called(mut cx: called::Context) {
        cx.shared.count.lock(|count| *count += 1);
    }

    #[thread(priority = 1, stack = 512)]
    fn blink(_: blink::Context) {}

    #[task(binds = UART0, priority = 2, shared = [count])]
    fn receive(mut cx: receive::Context) {
        cx.shared.count.lock(|count| *count += 1);
    }

    #[task(priority = 2)]
    fn log(_: log::Context, argument_1: u8, (low, high): (u8, u8), _: u8, context: u8) {
        let _ = (argument_1, low, high, context);
    }

    #[task(priority = 2, joinable)]
    async fn wait(_: wait::Context) {
        core::future::pending().await
    }
}
