//! Group `models`: from an interrupt to an async task or an actor that a thread hosts, with several
//! of them on the level.
//!
//! The scenario is written down in `scenarios/models.toml`. The features `hosted_4` and `hosted_8`
//! say how many there are on each of the two levels; without them there is one.

#![no_std]
#![no_main]

quintet_bench_common::vectors!();

/// The application, with so many async tasks and so many actors.
// The formatter would move the attribute further to the right each time.
#[rustfmt::skip]
macro_rules! application {
    ($count:literal) => {
        #[quintet::app(
            device = quintet_bench_common::device,
            peripherals = false,
            dispatchers = [EXTI1]
        )]
        mod app {
            use core::hint::black_box;
            use core::sync::atomic::{AtomicU32, Ordering};

            use quintet::sync::Semaphore;
            use quintet_bench_common::device::Interrupt;
            use quintet_bench_common::{exit, mark, pend};

            /// What the async tasks wait for, each for its own.
            static FOR_TASKS: [Semaphore; $count] = [const { Semaphore::new(0) }; $count];
            /// How often an interrupt was handled.
            static DONE: AtomicU32 = AtomicU32::new(0);

            /// How often each is let run.
            const ROUNDS: u32 = 3;
            /// The last of the tasks and of the actors, whose turn comes last.
            const LAST: usize = $count - 1;

            #[shared]
            struct Shared {}

            #[local]
            struct Local {}

            #[init]
            fn init(_: init::Context) -> (Shared, Local) {
                for _ in 0..$count {
                    hosted::spawn().unwrap_or_else(|_| exit(103));
                }
                (Shared {}, Local {})
            }

            #[idle]
            fn idle(_: idle::Context) -> ! {
                for _ in 0..black_box(ROUNDS) {
                    pend!("hosted_from", "hosted_back", Interrupt::TIM16);
                    pend!("hosted_actor_from", "hosted_actor_back", Interrupt::TIM7);
                }
                exit(if DONE.load(Ordering::Relaxed) == 2 * ROUNDS { 0 } else { 104 })
            }

            fn count() {
                DONE.store(DONE.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            }

            /// A thread that is more urgent than the tasks and the actors, so that they are hosted.
            #[thread(priority = 3, stack = 256)]
            fn thread(cx: thread::Context) {
                static NEVER: Semaphore = Semaphore::new(0);
                NEVER.take().block(&cx.thread);
            }

            #[task(binds = TIM16, priority = 7)]
            fn gives_to_hosted(_: gives_to_hosted::Context) {
                FOR_TASKS[LAST].give();
            }

            #[task(priority = 2, instances = $count)]
            async fn hosted(cx: hosted::Context) {
                loop {
                    FOR_TASKS[usize::from(cx.instance)].take().await;
                    mark!("hosted");
                    count();
                }
            }

            #[task(binds = TIM7, priority = 7)]
            fn posts_to_hosted_actor(_: posts_to_hosted_actor::Context) {
                hosted_actor::post(LAST, 1);
            }

            #[actor(priority = 1, queue = 4, instances = $count)]
            fn hosted_actor(_: hosted_actor::Context, _times: u32) {
                mark!("hosted_actor");
                count();
            }
        }
    };
}

#[cfg(not(any(feature = "hosted_4", feature = "hosted_8")))]
application!(1);
#[cfg(feature = "hosted_4")]
application!(4);
#[cfg(feature = "hosted_8")]
application!(8);
