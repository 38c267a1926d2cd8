//! Group `showdown`: the document's application in Quintet, with tasks.
//!
//! The button's interrupt spawns a task for each change.

#![no_std]
#![no_main]

quintet_bench_common::vectors!();

#[quintet::app(device = quintet_bench_common::device, peripherals = false, dispatchers = [EXTI1])]
mod app {
    use core::sync::atomic::Ordering;

    use quintet::sync::{Channel, Signal};
    use quintet::time::{Duration, delay};
    use quintet_bench_common::showdown::{self, IS_PRESSED, Message, QUEUE, button, serial};
    use quintet_bench_common::{exit, mark};
    use quintet_benches::time;

    /// The lines to be sent.
    static MESSAGES: Channel<Message, QUEUE> = Channel::new();
    /// The serial port can take a byte.
    static WRITABLE: Signal<()> = Signal::new();

    const HALF_BLINK: Duration = Duration::from_micros(showdown::HALF_BLINK);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        showdown::start();
        time::start(2);
        button::listen(true, true);
        blink::spawn().unwrap_or_else(|_| exit(103));
        write::spawn().unwrap_or_else(|_| exit(103));
        (Shared {}, Local {})
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
            delay(HALF_BLINK).await;
            if !IS_PRESSED.load(Ordering::SeqCst) {
                showdown::set_led(true);
            }
            delay(HALF_BLINK).await;
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

    #[task(priority = 1, local = [count: u32 = 0])]
    fn changed(context: changed::Context, is_pressed: bool) {
        mark!("thread_begin");
        *context.local.count += 1;
        IS_PRESSED.store(is_pressed, Ordering::SeqCst);
        let message = Message::new(*context.local.count, is_pressed);
        let sent = MESSAGES.try_send(message);
        mark!("thread_end");
        sent.unwrap_or_else(|_| exit(104));
    }

    #[task(priority = 1)]
    async fn write(_: write::Context) {
        loop {
            let message = MESSAGES.receive().await;
            let mut bytes = message.as_bytes();
            serial::send(&mut bytes);
            while !bytes.is_empty() {
                serial::listen(true);
                WRITABLE.wait().await;
                serial::send(&mut bytes);
            }
        }
    }

    #[task(binds = USART1, priority = 2)]
    fn serial_interrupt(_: serial_interrupt::Context) {
        serial::listen(false);
        WRITABLE.signal(());
    }
}
