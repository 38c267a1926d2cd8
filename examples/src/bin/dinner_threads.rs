//! The dining philosophers, beside a thread: who is below it is hosted by threads.
#![no_std]
#![no_main]

#[path = "../dinner/mod.rs"]
mod dinner;

dinner::dinner! {
    [dispatchers = [SSI0, UART0]]

    /// Somebody who stands there and waits.
    #[thread(priority = 1, stack = 512)]
    fn guest(cx: guest::Context) {
        loop {
            cx.thread.delay(Duration::from_millis(700));
        }
    }
}
