//! The kernel's lock by PRIMASK, because a task of the highest priority uses the kernel too, and
//! within a resource's lock that is one by PRIMASK as well.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0])]
mod app {
    use campaign::doors::{self, Pair};
    use campaign::spawns::{Message, Spawns};
    use campaign::{Count, begin, end, succeed};
    use quintet::sync::Channel;
    use quintet::sync::channel::Full;

    #[shared]
    struct Shared {
        /// Ceiling 8.
        top: Pair,
    }

    #[local]
    struct Local {}

    static CHANNEL: Channel<Message, 3> = Channel::new();
    static SENT: Spawns = Spawns::new();
    static TOP: Count = Count::new();

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        assert!(receiver::spawn().is_ok());
        (Shared { top: Pair::default() }, Local {})
    }

    /// Sends a message, if there is room.
    #[inline]
    fn send() {
        SENT.spawn(|message| CHANNEL.try_send(message).map_err(|Full(message)| message));
    }

    #[idle(shared = [top])]
    fn idle(mut cx: idle::Context) -> ! {
        begin();
        send();
        cx.shared.top.lock(|top| top.with(8, send));
        cx.shared.top.lock(|top| top.add(8));
        send();
        end();
        TOP.put(TOP.get() + 2);
        cx.shared.top.lock(|top| assert!(top.total() == TOP.get(), "top"));
        assert!(CHANNEL.is_empty(), "a message is left");
        SENT.judge();
        succeed()
    }

    #[task(priority = 2)]
    async fn receiver(_: receiver::Context) {
        loop {
            let message = CHANNEL.receive().await;
            SENT.start(&message);
        }
    }

    #[task(binds = GPIOB, priority = 1, shared = [top])]
    fn one(mut cx: one::Context) {
        doors::enter(1);
        cx.shared.top.lock(|top| top.with(8, send));
        TOP.add();
    }

    #[task(binds = GPIOD, priority = 5)]
    fn five(_: five::Context) {
        doors::enter(5);
        send();
    }

    #[task(binds = GPIOE, priority = 8, shared = [top])]
    fn eight(mut cx: eight::Context) {
        doors::enter(9);
        cx.shared.top.lock(|top| top.with(8, send));
        TOP.add();
    }
}
