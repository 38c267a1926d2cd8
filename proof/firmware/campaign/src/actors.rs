//! An application of actors, which three programs interrupt: one whose actors are on levels, one
//! whose actors are hosted by threads, and one whose scheduler is cooperative.
//!
//! Every event that is posted is a [`Message`](crate::spawns::Message): each that was accepted is
//! handled once, each that was refused comes back, and those that were posted behind each other
//! stay in order. Memory of a pool's events is free in the end.

/// The application, with the priorities of its interrupts and what else is in it. Idle drives it.
#[macro_export]
macro_rules! actors {
    ([$between:literal, $above:literal, $far:literal] $($more:tt)*) => {
        $crate::actors_with! {
            [$between, $above, $far]
            []

            #[init]
            fn init(_: init::Context) -> (Shared, Local) {
                (Shared {}, Local {})
            }

            #[idle]
            fn idle(_: idle::Context) -> ! {
                begin_and_post();
                end();
                judge()
            }

            $($more)*
        }
    };
}

/// The application, with the priorities of its interrupts, further arguments of `#[quintet::app]`,
/// and what drives it.
#[macro_export]
macro_rules! actors_with {
    (
        [$between:literal, $above:literal, $far:literal]
        [$($argument:tt)*]
        $($more:tt)*
    ) => {
        #[quintet::app(
            device = lm3s6965,
            peripherals = false,
            dispatchers = [SSI0, QEI0],
            $($argument)*
        )]
        mod app {
            use quintet::actor::{EventPool, Shared as Event};

            use $crate::spawns::{Message, Spawns};
            use $crate::{Count, begin, end, succeed};

            #[shared]
            struct Shared {}

            #[local]
            struct Local {}

            /// The posts to each actor.
            static LOW: Spawns = Spawns::new();
            static PAIR: [Spawns; 2] = [const { Spawns::new() }; 2];
            static FRONT: Spawns = Spawns::new();
            /// What is in the pool's memory, and how often it was read.
            static NEWS: Spawns = Spawns::new();
            static READ: [Count; 2] = [const { Count::new() }; 2];
            static BLOCKS: EventPool<Message, 2> = EventPool::new();

            /// For whoever reads.
            #[derive(Clone)]
            pub struct News(Event<Message>);

            /// Publishes a message, if there is memory for it.
            fn tell() {
                NEWS.spawn(|message| match BLOCKS.try_new(message) {
                    Ok(block) => {
                        publish(News(block.share()));
                        Ok(())
                    }
                    Err(full) => Err(full.0),
                });
            }

            /// How many blocks are free, and one more.
            fn all_free() -> usize {
                let message = || NEWS.begin().message();
                let blocks: [_; 3] = core::array::from_fn(|_| BLOCKS.try_new(message()));
                blocks.iter().filter(|block| block.is_ok()).count()
            }

            /// Begins, and posts to each actor.
            fn begin_and_post() {
                // All memory has been used once.
                assert!(all_free() == 2);
                begin();
                LOW.spawn(low::try_post);
                PAIR[0].spawn(|message| pair::try_post(0, message));
                PAIR[1].spawn(|message| pair::try_post(1, message));
                tell();
                FRONT.spawn(front::try_post_front);
                LOW.spawn(|message| low::try_post_margin(message, 1));
            }

            /// Judges, when nothing comes any more and no event waits.
            fn judge() -> ! {
                LOW.judge();
                PAIR.iter().for_each(Spawns::judge);
                // Who was posted to the front has overtaken others.
                FRONT.count(0..=0);
                let news = NEWS.accepted();
                let all_read = READ.iter().all(|read| read.get() == news);
                assert!(all_read, "an event is lost, or came twice");
                assert!(all_free() == 2, "memory of an event is lost, or is there twice");
                succeed()
            }

            #[actor(priority = 1, queue = 3)]
            fn low(_: low::Context, message: Message) {
                LOW.start(&message);
                FRONT.spawn(front::try_post);
            }

            #[actor(priority = 3, queue = 2, instances = 2)]
            fn pair(cx: pair::Context, message: Message) {
                PAIR[cx.instance].start(&message);
                if cx.instance == 0 {
                    LOW.spawn(low::try_post);
                }
            }

            #[actor(priority = 3, queue = 2)]
            fn front(_: front::Context, message: Message) {
                FRONT.start(&message);
            }

            #[actor(priority = 3, queue = 4, subscribe = [News])]
            fn first_reader(_: first_reader::Context, event: News) {
                let News(message) = event;
                NEWS.start(&message);
                READ[0].add();
            }

            #[actor(priority = 1, queue = 4, subscribe = [News])]
            fn second_reader(_: second_reader::Context, _: News) {
                READ[1].add();
            }

            #[task(binds = GPIOB, priority = $between)]
            fn between(_: between::Context) {
                LOW.spawn(low::try_post);
                PAIR[1].spawn(|message| pair::try_post(1, message));
            }

            #[task(binds = GPIOD, priority = $above)]
            fn above(_: above::Context) {
                FRONT.spawn(front::try_post_front);
                PAIR[0].spawn(|message| pair::try_post(0, message));
                tell();
            }

            #[task(binds = GPIOE, priority = $far)]
            fn far_above(_: far_above::Context) {
                PAIR[0].spawn(|message| pair::try_post(0, message));
                LOW.spawn(low::try_post);
                FRONT.spawn(front::try_post);
            }

            $($more)*
        }
    };
}
