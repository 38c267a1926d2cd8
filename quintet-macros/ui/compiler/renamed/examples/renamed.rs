//! An RTIC 2 application of which no word was changed: its manifest renames the crate.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;

/// Adds one, whatever kind of access it is given.
fn increment(count: &mut impl rtic::Mutex<T = u32>) {
    count.lock(|count| *count += 1);
}

#[rtic::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use super::*;

    #[shared]
    struct Shared {
        a: u32,
        b: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        let _ = (cx.core, cx.device, cx.cs);
        sample::spawn().unwrap();
        (Shared { a: 0, b: 0 }, Local {})
    }

    #[idle(shared = [a, b])]
    fn idle(cx: idle::Context) -> ! {
        let idle::SharedResources { mut a, mut b, .. } = cx.shared;
        loop {
            (&mut a, &mut b).lock(|a, b| *a += *b);
            rtic::export::wfi();
        }
    }

    #[task(priority = 1, shared = [a], local = [n: u32 = 0])]
    async fn sample(mut cx: sample::Context) {
        increment(&mut cx.shared.a);
        increment(&mut rtic::Exclusive(cx.local.n));
        rtic::pend(lm3s6965::Interrupt::UART0);
    }

    #[task(binds = UART0, priority = 2, shared = [b])]
    fn receive(mut cx: receive::Context) {
        increment(&mut cx.shared.b);
    }
}
