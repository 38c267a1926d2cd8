//! Threads, async tasks, actors and interrupts in one application, around the same objects: permits
//! for a thread and for async tasks above and below the threads, messages from any of them to an
//! async task, and events to actors on a level and in a thread.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0])]
mod app {
    use campaign::begin;
    use campaign::spawns::{Message, Spawns};
    use campaign::threads::{Counted, over, wait_until_over};
    use quintet::sync::{Channel, Full};

    #[shared]
    struct Shared {
        total: u32,
    }

    #[local]
    struct Local {}

    /// Permits for the urgent thread, for the async task on a level, and for the hosted one.
    static THREADS: Counted = Counted::new();
    static LEVELS: Counted = Counted::new();
    static HOSTED: Counted = Counted::new();
    /// Messages to the hosted async task, and events of the actors.
    static CHANNEL: Channel<Message, 2> = Channel::new();
    static SENT: Spawns = Spawns::new();
    static ABOVE: Spawns = Spawns::new();
    static BELOW: Spawns = Spawns::new();
    /// Additions to the shared total.
    static ADDED: campaign::Count = campaign::Count::new();

    fn send() {
        SENT.spawn(|message| CHANNEL.try_send(message).map_err(|Full(message)| message));
    }

    fn judge() {
        for counted in [&THREADS, &LEVELS, &HOSTED] {
            counted.judge_all_taken();
        }
        for spawns in [&SENT, &ABOVE, &BELOW] {
            spawns.judge();
        }
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        assert!(on_level::spawn().is_ok() && hosted::spawn().is_ok() && reads::spawn().is_ok());
        (Shared { total: 0 }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        wait_until_over(judge, || ())
    }

    #[thread(priority = 3, stack = 1024, shared = [total])]
    fn urgent(mut cx: urgent::Context) {
        loop {
            THREADS.take();
            ADDED.add();
            cx.shared.total.lock(|total| *total += 1);
            ABOVE.spawn(above::try_post);
            HOSTED.give();
        }
    }

    #[thread(priority = 2, stack = 1024, shared = [total])]
    fn driver(mut cx: driver::Context) {
        begin();
        THREADS.give();
        send();
        LEVELS.give();
        ADDED.add();
        cx.shared.total.lock(|total| {
            *total += 1;
            THREADS.give();
        });
        BELOW.spawn(below::try_post);
        HOSTED.give();
        over();
        let (total, added) = (cx.shared.total.lock(|total| *total), ADDED.get());
        assert!(total == added, "an addition is lost");
    }

    /// Above all threads.
    #[task(priority = 4)]
    async fn on_level(_: on_level::Context) {
        loop {
            LEVELS.semaphore.take().await;
            LEVELS.note_taken();
            THREADS.give();
            BELOW.spawn(below::try_post);
        }
    }

    /// Below a thread, and so hosted by one.
    #[task(priority = 1)]
    async fn hosted(_: hosted::Context) {
        loop {
            HOSTED.semaphore.take().await;
            HOSTED.note_taken();
            send();
        }
    }

    #[task(priority = 1)]
    async fn reads(_: reads::Context) {
        loop {
            SENT.start(&CHANNEL.receive().await);
        }
    }

    #[actor(priority = 4, queue = 2)]
    fn above(_: above::Context, message: Message) {
        ABOVE.start(&message);
        send();
    }

    #[actor(priority = 2, queue = 3)]
    fn below(_: below::Context, message: Message) {
        BELOW.start(&message);
    }

    #[task(binds = GPIOB, priority = 4)]
    fn between(_: between::Context) {
        THREADS.give();
        BELOW.spawn(below::try_post);
    }

    #[task(binds = GPIOD, priority = 5, shared = [total])]
    fn middle(mut cx: middle::Context) {
        ADDED.add();
        cx.shared.total.lock(|total| *total += 1);
        LEVELS.give();
        send();
    }

    #[task(binds = GPIOE, priority = 6)]
    fn far_above(_: far_above::Context) {
        HOSTED.give();
        ABOVE.spawn(above::try_post);
        THREADS.try_take();
    }
}
