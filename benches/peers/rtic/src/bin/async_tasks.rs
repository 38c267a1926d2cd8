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

#[rtic::app(
    device = quintet_bench_common::device,
    peripherals = false,
    dispatchers = [EXTI1, EXTI2, EXTI3, EXTI4]
)]
mod app {
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
        spawn_fillers();
        (Shared {}, Local { sender })
    }

    /// Spawns the tasks that are only there.
    fn spawn_fillers() {
        #[cfg(any(feature = "more_8", feature = "more_31"))]
        {
            filler_00::spawn().unwrap_or_else(|_| exit(103));
            filler_01::spawn().unwrap_or_else(|_| exit(103));
            filler_02::spawn().unwrap_or_else(|_| exit(103));
            filler_03::spawn().unwrap_or_else(|_| exit(103));
            filler_04::spawn().unwrap_or_else(|_| exit(103));
            filler_05::spawn().unwrap_or_else(|_| exit(103));
            filler_06::spawn().unwrap_or_else(|_| exit(103));
            filler_07::spawn().unwrap_or_else(|_| exit(103));
        }
        #[cfg(feature = "more_31")]
        {
            filler_08::spawn().unwrap_or_else(|_| exit(103));
            filler_09::spawn().unwrap_or_else(|_| exit(103));
            filler_10::spawn().unwrap_or_else(|_| exit(103));
            filler_11::spawn().unwrap_or_else(|_| exit(103));
            filler_12::spawn().unwrap_or_else(|_| exit(103));
            filler_13::spawn().unwrap_or_else(|_| exit(103));
            filler_14::spawn().unwrap_or_else(|_| exit(103));
            filler_15::spawn().unwrap_or_else(|_| exit(103));
            filler_16::spawn().unwrap_or_else(|_| exit(103));
            filler_17::spawn().unwrap_or_else(|_| exit(103));
            filler_18::spawn().unwrap_or_else(|_| exit(103));
            filler_19::spawn().unwrap_or_else(|_| exit(103));
            filler_20::spawn().unwrap_or_else(|_| exit(103));
            filler_21::spawn().unwrap_or_else(|_| exit(103));
            filler_22::spawn().unwrap_or_else(|_| exit(103));
            filler_23::spawn().unwrap_or_else(|_| exit(103));
            filler_24::spawn().unwrap_or_else(|_| exit(103));
            filler_25::spawn().unwrap_or_else(|_| exit(103));
            filler_26::spawn().unwrap_or_else(|_| exit(103));
            filler_27::spawn().unwrap_or_else(|_| exit(103));
            filler_28::spawn().unwrap_or_else(|_| exit(103));
            filler_29::spawn().unwrap_or_else(|_| exit(103));
            filler_30::spawn().unwrap_or_else(|_| exit(103));
        }
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

    #[cfg(any(feature = "more_8", feature = "more_31"))]
    #[task(priority = 1)]
    async fn filler_00(_: filler_00::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(any(feature = "more_8", feature = "more_31"))]
    #[task(priority = 1)]
    async fn filler_01(_: filler_01::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(any(feature = "more_8", feature = "more_31"))]
    #[task(priority = 1)]
    async fn filler_02(_: filler_02::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(any(feature = "more_8", feature = "more_31"))]
    #[task(priority = 1)]
    async fn filler_03(_: filler_03::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(any(feature = "more_8", feature = "more_31"))]
    #[task(priority = 1)]
    async fn filler_04(_: filler_04::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(any(feature = "more_8", feature = "more_31"))]
    #[task(priority = 1)]
    async fn filler_05(_: filler_05::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(any(feature = "more_8", feature = "more_31"))]
    #[task(priority = 1)]
    async fn filler_06(_: filler_06::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(any(feature = "more_8", feature = "more_31"))]
    #[task(priority = 1)]
    async fn filler_07(_: filler_07::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_08(_: filler_08::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_09(_: filler_09::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_10(_: filler_10::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_11(_: filler_11::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_12(_: filler_12::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_13(_: filler_13::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_14(_: filler_14::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_15(_: filler_15::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_16(_: filler_16::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_17(_: filler_17::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_18(_: filler_18::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_19(_: filler_19::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_20(_: filler_20::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_21(_: filler_21::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_22(_: filler_22::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_23(_: filler_23::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_24(_: filler_24::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_25(_: filler_25::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_26(_: filler_26::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_27(_: filler_27::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_28(_: filler_28::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_29(_: filler_29::Context) {
        quintet_bench_common::park::forever().await
    }

    #[cfg(feature = "more_31")]
    #[task(priority = 1)]
    async fn filler_30(_: filler_30::Context) {
        quintet_bench_common::park::forever().await
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
