//! Handles of spawned tasks: join, cancel, abort, restart, while others spawn and wake the task.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, peripherals = false, dispatchers = [SSI0, QEI0, ADC0_SEQUENCE_1])]
mod app {
    use campaign::spawns::{Message, Spawns};
    use campaign::{Count, EachPoll, begin, end, succeed, suspend};
    use core::future::pending;
    use core::task::Context;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    static WORKER: Spawns = Spawns::new();
    static QUICK: Spawns = Spawns::new();
    /// Instances that were cancelled for certain.
    static CANCELLED: Count = Count::new();
    /// Instances that were aborted, perhaps before their start.
    static ABORTED: Count = Count::new();
    static DONE: Count = Count::new();

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        begin();
        assert!(supervisor::spawn().is_ok());
        quick::waker().wake();
        end();
        // The last instance may be a handler's.
        quick::waker().wake();
        QUICK.judge();
        assert!(DONE.get() == 1, "the supervisor waits for ever");
        let cancelled = CANCELLED.get();
        WORKER.count(cancelled..=cancelled + ABORTED.get());
        succeed()
    }

    /// Spawns the worker; nothing if somebody else's instance is alive.
    fn spawn(rounds: u8) -> Option<worker::Handle> {
        WORKER.spawn(|message| worker::spawn(message, rounds).map_err(|(message, _)| message))
    }

    fn cancel(handle: &worker::Handle) {
        if handle.cancel() {
            CANCELLED.add();
        }
    }

    #[task(priority = 2)]
    async fn supervisor(_: supervisor::Context) {
        if let Some(mut handle) = spawn(2) {
            handle.join().await;
            assert!(handle.has_ended());
        }
        if let Some(mut handle) = spawn(0) {
            cancel(&handle);
            handle.join().await;
            assert!(handle.has_ended());
        }
        // It wakes this task, and never ends by itself.
        if let Some(mut handle) = spawn(u8::MAX) {
            suspend().await;
            ABORTED.add();
            handle.abort();
            handle.join().await;
            assert!(handle.has_ended());
        }
        if let Some(handle) = spawn(u8::MAX) {
            suspend().await;
            ABORTED.add();
            let begun = WORKER.begin();
            match handle.restart((begun.message(), 1)).await {
                Ok(mut handle) => {
                    begun.end();
                    handle.join().await;
                }
                Err((message, _)) => begun.refuse(&message),
            }
        }
        // It is above this task: it may end at any moment.
        let spawned = QUICK.spawn(quick::spawn);
        if let Some(mut handle) = spawned {
            handle.join().await;
            assert!(handle.has_ended());
        }
        DONE.add();
    }

    #[task(priority = 3, joinable)]
    async fn quick(_: quick::Context, message: Message) {
        QUICK.start(&message);
        suspend().await;
    }

    #[task(priority = 1, joinable)]
    async fn worker(_: worker::Context, message: Message, rounds: u8) {
        WORKER.start(&message);
        if rounds == u8::MAX {
            supervisor::waker().wake();
            pending::<()>().await;
        }
        let mut left = rounds;
        EachPoll(|cx: &mut Context<'_>| {
            if left == 0 {
                return true;
            }
            left -= 1;
            cx.waker().wake_by_ref();
            false
        })
        .await;
    }

    #[task(binds = GPIOB, priority = 4)]
    fn spawner(_: spawner::Context) {
        // The supervisor is not woken: only the end of the task that it joins does that.
        quick::waker().wake();
        spawn(1);
    }

    #[task(binds = GPIOD, priority = 5)]
    fn canceller(_: canceller::Context) {
        if let Some(handle) = spawn(1) {
            cancel(&handle);
        }
    }

    #[task(binds = GPIOE, priority = 6)]
    fn disturber(_: disturber::Context) {
        worker::waker().wake();
        supervisor::waker().wake();
        if let Some(handle) = spawn(0) {
            ABORTED.add();
            handle.abort();
        }
    }
}
