//! Spawns of tasks with a capacity, of plain functions, and from tasks of the same priority.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0])]
mod app {
    use campaign::spawns::{Message, Spawns};
    use campaign::{begin, end, succeed, suspend};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    /// The spawns of each task.
    static PLAIN: Spawns = Spawns::new();
    static QUEUED: Spawns = Spawns::new();
    static SEVERAL: Spawns = Spawns::new();
    static CHILD: Spawns = Spawns::new();
    static GRANDCHILD: Spawns = Spawns::new();

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        begin();
        QUEUED.spawn(queued::spawn);
        SEVERAL.spawn(several::spawn);
        PLAIN.spawn(plain::spawn);
        QUEUED.spawn(queued::spawn);
        several::waker().wake();
        SEVERAL.spawn(several::spawn);
        PLAIN.spawn(plain::spawn);
        several::waker().wake();
        end();
        // Instances may still wait, one behind the other.
        for _ in 0..3 {
            several::waker().wake();
        }
        PLAIN.judge();
        QUEUED.judge();
        SEVERAL.judge();
        CHILD.judge();
        GRANDCHILD.judge();
        succeed()
    }

    #[task(priority = 1)]
    fn plain(_: plain::Context, message: Message) {
        PLAIN.start(&message);
        QUEUED.spawn(queued::spawn);
    }

    #[task(priority = 3, capacity = 3)]
    fn queued(_: queued::Context, message: Message) {
        QUEUED.start(&message);
    }

    #[task(priority = 3, capacity = 3)]
    async fn several(cx: several::Context, message: Message) {
        SEVERAL.start(&message);
        CHILD.spawn(|message| cx.local_spawner.child(message));
        suspend().await;
        CHILD.spawn(|message| cx.local_spawner.child(message));
        GRANDCHILD.spawn(|message| cx.local_spawner.grandchild(message));
    }

    #[task(priority = 3, local_task)]
    async fn child(cx: child::Context, message: Message) {
        CHILD.start(&message);
        GRANDCHILD.spawn(|message| cx.local_spawner.grandchild(message));
    }

    #[task(priority = 3, local_task)]
    fn grandchild(_: grandchild::Context, message: Message) {
        GRANDCHILD.start(&message);
    }

    #[task(binds = GPIOB, priority = 2)]
    fn between(_: between::Context) {
        PLAIN.spawn(plain::spawn);
        SEVERAL.spawn(several::spawn);
    }

    #[task(binds = GPIOD, priority = 4)]
    fn above(_: above::Context) {
        QUEUED.spawn(queued::spawn);
        QUEUED.spawn(queued::spawn);
    }

    #[task(binds = GPIOE, priority = 6)]
    fn far_above(_: far_above::Context) {
        PLAIN.spawn(plain::spawn);
        SEVERAL.spawn(several::spawn);
        QUEUED.spawn(queued::spawn);
    }
}
