//! Software tasks: spawn with arguments, order by name, a busy task, wakers, three priorities.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0, GPIOA])]
mod app {
    use core::future::poll_fn;
    use core::task::Poll;
    use cortex_m_semihosting::{debug, hprintln};

    #[shared]
    struct Shared {
        sum: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        b::spawn(1).unwrap();
        a::spawn((2, 3), 4).unwrap();
        assert_eq!(a::spawn((5, 6), 7), Err(((5, 6), 7)));
        forever::spawn().unwrap();
        last::spawn().unwrap();
        hprintln!("init");
        (Shared { sum: 0 }, Local {})
    }

    #[task(priority = 1, shared = [sum], local = [runs: u32 = 0])]
    async fn a(mut cx: a::Context, (x, y): (u8, u8), mut z: u32) {
        *cx.local.runs += 1;
        z += 1;
        let sum = cx.shared.sum.lock(|sum| {
            *sum += u32::from(x + y) + z;
            *sum
        });
        hprintln!("a {} {} {} {} {}", x, y, z, sum, cx.local.runs);
        yield_now().await;
        hprintln!("a again");
        assert_eq!(a::spawn((0, 0), 0), Err(((0, 0), 0)));
        urgent::spawn().unwrap();
        hprintln!("a ends");
    }

    #[task(priority = 1, shared = [sum])]
    async fn b(mut cx: b::Context<'_>, value: u32) {
        hprintln!("b {}", value + cx.shared.sum.lock(|sum| *sum));
        yield_now().await;
        hprintln!("b ends");
    }

    #[task(priority = 1, local = [count: u32 = 0])]
    async fn forever(cx: forever::Context) -> ! {
        let count: &'static mut u32 = cx.local.count;
        loop {
            *count += 1;
            hprintln!("forever {}", count);
            suspend().await;
        }
    }

    #[task(priority = 3, shared = [sum])]
    async fn urgent(cx: urgent::Context) {
        let mut sum = cx.shared.sum;
        sum.lock(|sum| *sum += 100);
        hprintln!("urgent");
    }

    #[task]
    async fn last(_: last::Context) {
        hprintln!("last");
        yield_now().await;
        b::waker().wake();
        forever::waker().wake();
        a::spawn((1, 1), 1).unwrap();
        b::spawn(1000).unwrap();
        hprintln!("done");
        debug::exit(debug::EXIT_SUCCESS);
    }

    async fn suspend() {
        let mut done = false;
        poll_fn(
            |_| if core::mem::replace(&mut done, true) { Poll::Ready(()) } else { Poll::Pending },
        )
        .await;
    }

    async fn yield_now() {
        let mut done = false;
        poll_fn(|cx| {
            if done {
                return Poll::Ready(());
            }
            done = true;
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}
