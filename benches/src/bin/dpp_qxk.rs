//! Groups `qp-3` and `qp-4`: the dining philosophers, beside a thread, which hosts
//! who is below it: as QXK.

#![no_std]
#![no_main]

#[path = "../dinner/mod.rs"]
mod dinner;

dinner::dinner! {
    [peripherals = false, dispatchers = [EXTI1, EXTI2]]

    /// Somebody who stands there and waits.
    #[thread(priority = 1, stack = 512)]
    fn guest(cx: guest::Context) {
        loop {
            cx.thread.delay(quintet::time::Duration::from_millis(700));
        }
    }
}
