//! The scenario of the group `async` in Quintet: what waking, spawning and sending cost.
//!
//! The scenario is written down in `scenarios/async.toml`. Every task that is measured has a level
//! of its own, so that a row's level has no other tasks than the row says. The binaries differ in
//! what else is on the waiter's level: `#[cfg]` on those tasks would not do, because a level has
//! places for tasks that a condition leaves out.

/// The application, with more items: a function `spawn_more`, and the tasks that it spawns.
#[macro_export]
macro_rules! async_scenario {
    ($($more:tt)*) => {
        use quintet::sync::Channel;
        use quintet_bench_common::park::Parking;

        quintet_bench_common::vectors!();

        /// Where the tasks wait that interrupts wake.
        static WAITER: Parking = Parking::new();
        static LOCAL: Parking = Parking::new();

        /// From an interrupt to a task.
        static CHANNEL: Channel<u32, 4> = Channel::new();
        /// Between two tasks of one level.
        static LOCAL_CHANNEL: Channel<u32, 4> = Channel::new();

        #[quintet::app(
            device = quintet_bench_common::device,
            peripherals = false,
            dispatchers = [EXTI1, EXTI2, EXTI3, EXTI4]
        )]
        mod app {
            $($more)*

            use super::{CHANNEL, LOCAL, LOCAL_CHANNEL, WAITER};
            use core::hint::black_box;
            use quintet_bench_common::device::{Interrupt, settle};
            use quintet_bench_common::{exit, mark, park, pend, wake_itself};

            #[shared]
            struct Shared {}

            #[local]
            struct Local {}

            #[init]
            fn init(_: init::Context) -> (Shared, Local) {
                waiter::spawn().unwrap_or_else(|_| exit(103));
                receive::spawn().unwrap_or_else(|_| exit(103));
                local_receive::spawn().unwrap_or_else(|_| exit(103));
                local_send::spawn().unwrap_or_else(|_| exit(103));
                spawn_more();
                (Shared {}, Local {})
            }

            #[idle]
            fn idle(_: idle::Context) -> ! {
                mark!("start");
                for _ in 0..black_box(3) {
                    pend!("wake_pend", "wake_back", Interrupt::TIM3);
                    mark!("spawn_call");
                    let spawned = spawnee::spawn();
                    settle();
                    spawned.unwrap_or_else(|_| exit(103));
                    pend!("send_pend", "send_back", Interrupt::TIM4);
                    pend!("local_pend", "local_back", Interrupt::TIM6);
                }
                mark!("end");
                exit(0)
            }

            /// Wakes the waiter.
            #[task(binds = TIM3, priority = 5)]
            fn wake(_: wake::Context) {
                #[cfg(not(feature = "known"))]
                let waker = WAITER.waker();
                mark!("wake_call");
                #[cfg(not(feature = "known"))]
                waker.wake_by_ref();
                #[cfg(feature = "known")]
                waiter::waker().wake();
            }

            /// Sends to the receiver.
            #[task(binds = TIM4, priority = 5)]
            fn send(_: send::Context) {
                mark!("send_call");
                let sent = CHANNEL.try_send(1);
                sent.unwrap_or_else(|_| exit(104));
            }

            /// Wakes the task that sends on its own level.
            #[task(binds = TIM6, priority = 5)]
            fn wake_local(_: wake_local::Context) {
                LOCAL.waker().wake_by_ref();
            }

            #[task(priority = 1)]
            async fn waiter(_: waiter::Context) {
                loop {
                    park!(WAITER, "suspend");
                    mark!("resumed");
                    wake_itself!("wake_itself");
                    mark!("resumed_itself");
                }
            }

            #[task(priority = 2)]
            async fn spawnee(_: spawnee::Context) {
                mark!("spawned");
            }

            #[task(priority = 3)]
            async fn receive(_: receive::Context) {
                loop {
                    let received = CHANNEL.receive().await;
                    mark!("received");
                    if received != 1 {
                        exit(104);
                    }
                }
            }

            #[task(priority = 4)]
            async fn local_receive(_: local_receive::Context) {
                loop {
                    let received = LOCAL_CHANNEL.receive().await;
                    mark!("local_received");
                    if received != 1 {
                        exit(104);
                    }
                }
            }

            #[task(priority = 4)]
            async fn local_send(_: local_send::Context) {
                loop {
                    park!(LOCAL, "local_suspend");
                    mark!("local_send_call");
                    let sent = LOCAL_CHANNEL.try_send(1);
                    sent.unwrap_or_else(|_| exit(104));
                }
            }
        }
    };
}
