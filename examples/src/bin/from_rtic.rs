//! An RTIC 2 application, moved over: `rtic` became `quintet` in two places, and nothing else.
//!
//! It keeps RTIC's own libraries: the monotonic over SysTick, and the channel.
#![no_std]
#![no_main]

use quintet::app;
use rtic_monotonics::systick::prelude::*;

systick_monotonic!(Mono, 1000);

#[app(device = lm3s6965, dispatchers = [UART0, UART1], peripherals = true)]
mod app {
    use rtic_sync::{channel::*, make_channel};
    use semihosting::println;

    use super::*;

    #[shared]
    struct Shared {
        total: u32,
    }

    #[local]
    struct Local {
        sender: Sender<'static, u32, 2>,
    }

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Mono::start(cx.core.SYST, 12_000_000);
        let (sender, receiver) = make_channel!(u32, 2);
        consumer::spawn(receiver).ok();
        producer::spawn().ok();
        (Shared { total: 0 }, Local { sender })
    }

    #[task(priority = 1, local = [sender], shared = [total])]
    async fn producer(mut cx: producer::Context) {
        for number in 1..=3 {
            Mono::delay(10.millis()).await;
            if cx.local.sender.send(number).await.is_err() {
                println!("nobody receives");
            }
        }
        let total = cx.shared.total.lock(|total| *total);
        println!("{} ms, total {total}", Mono::now().duration_since_epoch().to_millis());
        quintet::pend(lm3s6965::Interrupt::GPIOA);
    }

    #[task(priority = 2, shared = [total])]
    async fn consumer(mut cx: consumer::Context, mut receiver: Receiver<'static, u32, 2>) {
        while let Ok(number) = receiver.recv().await {
            println!("received {number}");
            cx.shared.total.lock(|total| *total += number);
        }
    }

    #[task(binds = GPIOA, priority = 1)]
    fn end(_: end::Context) {
        semihosting::process::exit(0)
    }
}
