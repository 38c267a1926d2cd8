//! Group `async`: what waking, spawning and sending cost in RTIC 2.
//!
//! The scenario is written down in `scenarios/async.toml`. Every task that is measured has a level
//! of its own, so that a row's level has no other tasks than the row says.

#![no_std]
#![no_main]

use quintet_bench_common::park::Parking;

quintet_bench_common::vectors!();

/// Where the tasks wait that interrupts wake.
static WAITER: Parking = Parking::new();
static LOCAL: Parking = Parking::new();

quintet_bench_common::with_fillers! {
    (#[rtic::app(
        device = quintet_bench_common::device,
        peripherals = false,
        dispatchers = [EXTI1, EXTI2, EXTI3, EXTI4]
    )]
    mod app) {
        use super::{LOCAL, WAITER};
        use core::hint::black_box;
        use quintet_bench_common::device::{Interrupt, settle};
        use quintet_bench_common::{exit, mark, park, pend, wake_itself};
        use rtic_sync::channel::{Receiver, Sender};
        use rtic_sync::make_channel;

        #[shared]
        struct Shared {}

        #[local]
        struct Local {
            sender: Sender<'static, u32, 4>,
        }

        #[init]
        fn init(_: init::Context) -> (Shared, Local) {
            let (sender, receiver) = make_channel!(u32, 4);
            let (local_sender, local_receiver) = make_channel!(u32, 4);
            waiter::spawn().unwrap_or_else(|_| exit(103));
            receive::spawn(receiver).unwrap_or_else(|_| exit(103));
            local_receive::spawn(local_receiver).unwrap_or_else(|_| exit(103));
            local_send::spawn(local_sender).unwrap_or_else(|_| exit(103));
            spawn_more();
            (Shared {}, Local { sender })
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
            let waker = WAITER.waker();
            mark!("wake_call");
            waker.wake_by_ref();
        }

        /// Sends to the receiver.
        #[task(binds = TIM4, priority = 5, local = [sender])]
        fn send(context: send::Context) {
            mark!("send_call");
            let sent = context.local.sender.try_send(1);
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
        async fn receive(_: receive::Context, mut receiver: Receiver<'static, u32, 4>) {
            loop {
                let received = receiver.recv().await;
                mark!("received");
                received.unwrap_or_else(|_| exit(104));
            }
        }

        #[task(priority = 4)]
        async fn local_receive(_: local_receive::Context, mut receiver: Receiver<'static, u32, 4>) {
            loop {
                let received = receiver.recv().await;
                mark!("local_received");
                received.unwrap_or_else(|_| exit(104));
            }
        }

        #[task(priority = 4)]
        async fn local_send(_: local_send::Context, mut sender: Sender<'static, u32, 4>) {
            loop {
                park!(LOCAL, "local_suspend");
                mark!("local_send_call");
                let sent = sender.try_send(1);
                sent.unwrap_or_else(|_| exit(104));
            }
        }
    }
}
