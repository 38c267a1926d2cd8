//! Spawns of async tasks, of which one instance is alive at a time: on a level of one and on a
//! level of three, of tasks that end at once and of tasks that wait before they end.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0])]
mod app {
    use campaign::spawns::{Message, Spawns};
    use campaign::{Count, EachPoll, begin, end, succeed, suspend};
    use core::hint::black_box;
    use core::task::Context;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    /// The spawns of each task.
    static ALONE: Spawns = Spawns::new();
    static BRIEF: Spawns = Spawns::new();
    static WAITS: Spawns = Spawns::new();
    static YIELDS: Spawns = Spawns::new();
    /// Instances of `waits` that have ended.
    static WAITED: Count = Count::new();

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        begin();
        BRIEF.spawn(brief::spawn);
        // Refused, if it has not run: idle is below.
        BRIEF.spawn(brief::spawn);
        ALONE.spawn(alone::spawn);
        WAITS.spawn(waits::spawn);
        WAITS.spawn(waits::spawn);
        YIELDS.spawn(yields::spawn);
        waits::waker().wake();
        WAITS.spawn(waits::spawn);
        black_box(waits::waker()).wake();
        // Nobody is there to be woken.
        black_box(brief::waker()).wake();
        ALONE.spawn(alone::spawn);
        end();
        // The last instance may still wait.
        waits::waker().wake();
        ALONE.judge();
        BRIEF.judge();
        WAITS.judge();
        YIELDS.judge();
        assert!(WAITED.get() == WAITS.accepted());
        succeed()
    }

    #[task(priority = 1)]
    async fn alone(_: alone::Context, message: Message) {
        ALONE.start(&message);
        BRIEF.spawn(brief::spawn);
    }

    #[task(priority = 3)]
    async fn brief(_: brief::Context, message: Message) {
        BRIEF.start(&message);
        // It is alive itself.
        assert!(BRIEF.spawn(brief::spawn).is_none());
    }

    #[task(priority = 3)]
    async fn waits(_: waits::Context, message: Message) {
        WAITS.start(&message);
        suspend().await;
        WAITED.add();
        drop(message);
        YIELDS.spawn(yields::spawn);
    }

    #[task(priority = 3)]
    async fn yields(_: yields::Context, message: Message) {
        YIELDS.start(&message);
        let mut polls = 0;
        EachPoll(|cx: &mut Context<'_>| {
            polls += 1;
            cx.waker().wake_by_ref();
            polls == 3
        })
        .await;
        BRIEF.spawn(brief::spawn);
    }

    #[task(binds = GPIOB, priority = 2)]
    fn between(_: between::Context) {
        ALONE.spawn(alone::spawn);
        WAITS.spawn(waits::spawn);
        black_box(waits::waker()).wake();
    }

    #[task(binds = GPIOD, priority = 4)]
    fn above(_: above::Context) {
        BRIEF.spawn(brief::spawn);
        WAITS.spawn(waits::spawn);
    }

    #[task(binds = GPIOE, priority = 6)]
    fn far_above(_: far_above::Context) {
        ALONE.spawn(alone::spawn);
        YIELDS.spawn(yields::spawn);
        waits::waker().wake();
    }
}
