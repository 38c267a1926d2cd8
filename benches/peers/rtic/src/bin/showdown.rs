//! Group `showdown`: the document's application in RTIC 2.
//!
//! The button's interrupt spawns a task for each change, as RTIC applications do; the queue is
//! `rtic-sync`'s.

#![no_std]
#![no_main]

quintet_bench_common::vectors!();

#[rtic::app(device = quintet_bench_common::device, peripherals = false, dispatchers = [EXTI1])]
mod app {
    use core::future::poll_fn;
    use core::sync::atomic::Ordering;
    use core::task::Poll;

    use fugit::ExtU64;
    use quintet_bench_common::showdown::{self, IS_PRESSED, Message, QUEUE, button, serial};
    use quintet_bench_common::{exit, mark};
    use quintet_bench_rtic::time::Mono;
    use rtic_common::waker_registration::CriticalSectionWakerRegistration;
    use rtic_sync::channel::{Receiver, Sender};
    use rtic_sync::make_channel;
    use rtic_time::Monotonic;

    /// The task that waits for the serial port.
    static WRITER: CriticalSectionWakerRegistration = CriticalSectionWakerRegistration::new();

    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        sender: Sender<'static, Message, QUEUE>,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        showdown::start();
        Mono::start(2);
        let (sender, receiver) = make_channel!(Message, QUEUE);
        button::listen(true, true);
        blink::spawn().unwrap_or_else(|_| exit(103));
        write::spawn(receiver).unwrap_or_else(|_| exit(103));
        (Shared {}, Local { sender })
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[task(priority = 1)]
    async fn blink(_: blink::Context) {
        for _ in 0..showdown::BLINKS {
            Mono::delay(showdown::HALF_BLINK.micros()).await;
            if !IS_PRESSED.load(Ordering::SeqCst) {
                showdown::set_led(true);
            }
            Mono::delay(showdown::HALF_BLINK.micros()).await;
            showdown::set_led(false);
        }
        exit(0)
    }

    #[task(binds = EXTI15_10, priority = 2)]
    fn button_interrupt(_: button_interrupt::Context) {
        mark!("interrupt_begin");
        button::acknowledge();
        let spawned = changed::spawn(button::is_pressed());
        mark!("interrupt_end");
        spawned.unwrap_or_else(|_| exit(103));
    }

    #[task(priority = 1, local = [sender, count: u32 = 0])]
    async fn changed(context: changed::Context, is_pressed: bool) {
        mark!("thread_begin");
        *context.local.count += 1;
        IS_PRESSED.store(is_pressed, Ordering::SeqCst);
        let message = Message::new(*context.local.count, is_pressed);
        let sent = context.local.sender.send(message).await;
        mark!("thread_end");
        sent.unwrap_or_else(|_| exit(104));
    }

    #[task(priority = 1)]
    async fn write(_: write::Context, mut receiver: Receiver<'static, Message, QUEUE>) {
        loop {
            let message = receiver.recv().await.unwrap_or_else(|_| exit(104));
            let mut bytes = message.as_bytes();
            poll_fn(|context| {
                serial::send(&mut bytes);
                if bytes.is_empty() {
                    return Poll::Ready(());
                }
                WRITER.register(context.waker());
                serial::listen(true);
                Poll::Pending
            })
            .await;
        }
    }

    #[task(binds = USART1, priority = 2)]
    fn serial_interrupt(_: serial_interrupt::Context) {
        serial::listen(false);
        WRITER.wake();
    }
}
