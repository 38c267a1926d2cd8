//! A channel with receivers of two priorities, of which one gives up now and then, and interrupts
//! that receive as well: every message goes to one of them.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0])]
mod app {
    use campaign::spawns::{Message, Spawns};
    use campaign::{begin, end, succeed};
    use core::future::poll_fn;
    use core::pin::pin;
    use core::task::Poll;
    use quintet::sync::Channel;
    use quintet::sync::channel::Full;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    static CHANNEL: Channel<Message, 3> = Channel::new();
    static SENT: Spawns = Spawns::new();

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        assert!(low::spawn().is_ok());
        assert!(fickle::spawn().is_ok());
        (Shared {}, Local {})
    }

    /// Sends a message, if there is room.
    #[inline]
    fn send() {
        SENT.spawn(|message| CHANNEL.try_send(message).map_err(|Full(message)| message));
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        begin();
        send();
        fickle::waker().wake();
        send();
        fickle::waker().wake();
        send();
        end();
        assert!(CHANNEL.is_empty(), "a message is left");
        assert!(CHANNEL.free_capacity() == 3, "a place is lost");
        SENT.count(0..=0);
        succeed()
    }

    #[task(priority = 1)]
    async fn low(_: low::Context) {
        loop {
            let message = CHANNEL.receive().await;
            SENT.start(&message);
        }
    }

    /// Gives up whenever it is woken: then a message that it was handed goes to somebody else.
    #[task(priority = 3)]
    async fn fickle(_: fickle::Context) {
        let mut turn = 0_u32;
        loop {
            turn += 1;
            let mut receiving = pin!(CHANNEL.receive());
            let mut polls = 0;
            let received = poll_fn(|context| {
                polls += 1;
                if polls == 2 && turn.is_multiple_of(2) {
                    return Poll::Ready(None);
                }
                receiving.as_mut().poll(context).map(Some)
            })
            .await;
            if let Some(message) = received {
                SENT.start(&message);
            }
        }
    }

    #[task(binds = GPIOB, priority = 2)]
    fn between(_: between::Context) {
        send();
        if let Ok(message) = CHANNEL.try_receive() {
            SENT.start(&message);
        }
    }

    #[task(binds = GPIOD, priority = 4)]
    fn above(_: above::Context) {
        send();
        fickle::waker().wake();
    }

    #[task(binds = GPIOE, priority = 6)]
    fn far_above(_: far_above::Context) {
        if let Ok(message) = CHANNEL.try_receive() {
            SENT.start(&message);
        }
        send();
        send();
    }
}
