//! Channels, of small messages and of large ones, with one receiver: what is sent arrives once, in
//! order, also when senders wait for room.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0, ADC0_SEQUENCE_1])]
mod app {
    use campaign::spawns::{Large, Message, Spawns};
    use campaign::{Count, begin, end, succeed};
    use quintet::sync::Channel;
    use quintet::sync::channel::Full;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    /// Moved with the kernel's lock held.
    static SMALL: Channel<Message, 2> = Channel::new();
    /// Moved with it open.
    static LARGE: Channel<Large, 2> = Channel::new();

    static SMALL_SENT: Spawns = Spawns::new();
    static LARGE_SENT: Spawns = Spawns::new();
    /// Senders that have sent all.
    static DONE: Count = Count::new();

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        assert!(receiver::spawn().is_ok());
        assert!(large_receiver::spawn().is_ok());
        (Shared {}, Local {})
    }

    /// Sends a message, if there is room.
    #[inline]
    fn try_small() {
        SMALL_SENT.spawn(|message| SMALL.try_send(message).map_err(|Full(message)| message));
    }

    /// Sends a message, if there is room.
    #[inline]
    fn try_large() {
        LARGE_SENT.spawn(|message| {
            LARGE.try_send(Large::new(message)).map_err(|Full(large)| large.open())
        });
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        begin();
        try_small();
        try_large();
        assert!(sender::spawn().is_ok());
        try_large();
        try_small();
        end();
        assert!(DONE.get() == 1, "a sender waits for ever");
        assert!(SMALL.is_empty() && LARGE.is_empty(), "a message is left");
        assert!(SMALL.free_capacity() == 2 && LARGE.free_capacity() == 2, "a place is lost");
        SMALL_SENT.judge();
        LARGE_SENT.judge();
        succeed()
    }

    #[task(priority = 2)]
    async fn receiver(_: receiver::Context) {
        loop {
            let message = SMALL.receive().await;
            SMALL_SENT.start(&message);
        }
    }

    #[task(priority = 1)]
    async fn large_receiver(_: large_receiver::Context) {
        loop {
            let message = LARGE.receive().await.open();
            LARGE_SENT.start(&message);
        }
    }

    /// Above the receivers: there is room for two messages at first.
    #[task(priority = 3)]
    async fn sender(_: sender::Context) {
        for _ in 0..3 {
            let sent = SMALL_SENT.begin();
            SMALL.send(sent.message()).await;
            sent.end();
            let sent = LARGE_SENT.begin();
            LARGE.send(Large::new(sent.message())).await;
            sent.end();
        }
        DONE.add();
    }

    #[task(binds = GPIOB, priority = 1)]
    fn low(_: low::Context) {
        try_small();
        try_large();
    }

    #[task(binds = GPIOD, priority = 4)]
    fn above(_: above::Context) {
        try_large();
        try_small();
    }

    #[task(binds = GPIOE, priority = 6)]
    fn far_above(_: far_above::Context) {
        try_small();
        try_small();
    }
}
