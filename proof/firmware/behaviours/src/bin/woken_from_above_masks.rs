//! Tasks may be woken and spawned from an interrupt at the hardware's highest priority, which
//! BASEPRI never masks: also in the middle of a lock of a less urgent task.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use core::future::poll_fn;
    use core::task::{Poll, Waker};
    use cortex_m_semihosting::{debug, hprintln};
    use lm3s6965::Interrupt;

    #[shared]
    struct Shared {
        waker: Option<Waker>,
        value: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        waits::spawn().unwrap();
        (Shared { waker: None, value: 0 }, Local {})
    }

    #[idle(shared = [value])]
    fn idle(mut cx: idle::Context) -> ! {
        for round in 0..3 {
            cx.shared.value.lock(|value| {
                quintet::pend(Interrupt::UART0);
                *value += 1;
                hprintln!("idle locked {}", round);
            });
        }
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    #[task(binds = UART0, priority = 8, shared = [waker])]
    fn top(mut cx: top::Context) {
        cx.shared.waker.lock(|waker| {
            if let Some(waker) = waker {
                waker.wake_by_ref();
            }
        });
        spawned::spawn().unwrap();
        hprintln!("top");
    }

    #[task(priority = 1, shared = [waker, value])]
    async fn waits(mut cx: waits::Context) {
        for turn in 0..4 {
            let seen = cx.shared.value.lock(|value| *value);
            hprintln!("waits {} {}", turn, seen);
            let mut suspended = false;
            poll_fn(|context| {
                cx.shared.waker.lock(|waker| *waker = Some(context.waker().clone()));
                if core::mem::replace(&mut suspended, true) {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            })
            .await;
        }
    }

    #[task(priority = 2, shared = [value])]
    async fn spawned(mut cx: spawned::Context) {
        cx.shared.value.lock(|value| *value += 10);
        hprintln!("spawned");
    }
}
