//! Group `models`: from an interrupt to the code that handles it, in each model.
//!
//! The scenario is written down in `scenarios/models.toml`. The features `another_*` add one more
//! of a kind, for what it takes; with `a_process` there is a process as well.

#![no_std]
#![no_main]

#[cfg(feature = "a_process")]
#[path = "../header.rs"]
mod header;
#[cfg(feature = "a_process")]
#[path = "../process.rs"]
mod process;

quintet_bench_common::vectors!();

#[cfg_attr(
    not(feature = "a_process"),
    quintet::app(
        device = quintet_bench_common::device,
        peripherals = false,
        dispatchers = [EXTI1, EXTI2, EXTI3]
    )
)]
#[cfg_attr(
    feature = "a_process",
    quintet::app(
        device = quintet_bench_common::device,
        peripherals = false,
        dispatchers = [EXTI1, EXTI2, EXTI3],
        processes = [
            priority = 3,
            count = super::process::COUNT,
            flash = super::process::FLASH,
            memory = 0x2000_8000..0x2000_c000,
            drivers = [&super::process::EVENTS],
        ],
    )
)]
mod app {
    use core::hint::black_box;

    use quintet::sync::Semaphore;
    use quintet_bench_common::device::Interrupt;
    use quintet_bench_common::{exit, mark, pend};

    /// What the async task, the thread, and the hosted task wait for.
    static FOR_ASYNC: Semaphore = Semaphore::new(0);
    static FOR_THREAD: Semaphore = Semaphore::new(0);
    static FOR_HOSTED: Semaphore = Semaphore::new(0);

    /// How often each is let run.
    const ROUNDS: u32 = 3;

    #[shared]
    struct Shared {
        /// How often work was done: used by all.
        done: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        waits::spawn().unwrap_or_else(|_| exit(103));
        hosted::spawn().unwrap_or_else(|_| exit(103));
        #[cfg(feature = "another_async")]
        another_async::spawn().unwrap_or_else(|_| exit(103));
        #[cfg(feature = "another_hosted")]
        another_hosted::spawn().unwrap_or_else(|_| exit(103));
        // SAFETY: the linker's script leaves the flash and the memory to processes.
        #[cfg(feature = "a_process")]
        unsafe {
            PROCESSES.start(|_| {});
        }
        (Shared { done: 0 }, Local {})
    }

    #[idle(shared = [done])]
    fn idle(mut cx: idle::Context) -> ! {
        for _ in 0..black_box(ROUNDS) {
            pend!("task_from", "task_back", Interrupt::TIM3);
            pend!("job_from", "job_back", Interrupt::TIM4);
            pend!("async_from", "async_back", Interrupt::TIM6);
            pend!("hosted_from", "hosted_back", Interrupt::TIM16);
            pend!("thread_from", "thread_back", Interrupt::TIM15);
            pend!("actor_from", "actor_back", Interrupt::TIM2);
            pend!("hosted_actor_from", "hosted_actor_back", Interrupt::TIM7);
            #[cfg(feature = "a_process")]
            pend!("process_from", "process_back", Interrupt::EXTI4);
        }
        #[cfg(feature = "a_process")]
        if super::process::handled() != ROUNDS {
            exit(106)
        }
        exit(if cx.shared.done.lock(|done| *done) == 7 * ROUNDS { 0 } else { 104 })
    }

    /// The handler is the interrupt's.
    #[task(binds = TIM3, priority = 7, shared = [done])]
    fn interrupt(mut cx: interrupt::Context) {
        mark!("task");
        cx.shared.done.lock(|done| *done += 1);
    }

    #[task(binds = TIM4, priority = 7)]
    fn asks_for_job(_: asks_for_job::Context) {
        job::spawn().unwrap_or_else(|()| exit(105));
    }

    /// The handler is a software task.
    #[task(priority = 5, shared = [done])]
    fn job(mut cx: job::Context) {
        mark!("job");
        cx.shared.done.lock(|done| *done += 1);
    }

    #[task(binds = TIM6, priority = 7)]
    fn gives_to_async(_: gives_to_async::Context) {
        FOR_ASYNC.give();
    }

    /// The handler waits in an async task.
    #[task(priority = 4, shared = [done])]
    async fn waits(mut cx: waits::Context) {
        loop {
            FOR_ASYNC.take().await;
            mark!("async");
            cx.shared.done.lock(|done| *done += 1);
        }
    }

    #[task(binds = TIM15, priority = 7)]
    fn gives_to_thread(_: gives_to_thread::Context) {
        FOR_THREAD.give();
    }

    /// The handler waits in a thread.
    #[thread(priority = 3, stack = 256, shared = [done])]
    fn thread(mut cx: thread::Context) {
        loop {
            FOR_THREAD.take().block(&cx.thread);
            mark!("thread");
            cx.shared.done.lock(|done| *done += 1);
        }
    }

    #[task(binds = TIM16, priority = 7)]
    fn gives_to_hosted(_: gives_to_hosted::Context) {
        FOR_HOSTED.give();
    }

    /// The handler waits in an async task below a thread, which is hosted by a thread.
    #[task(priority = 2, shared = [done])]
    async fn hosted(mut cx: hosted::Context) {
        loop {
            FOR_HOSTED.take().await;
            mark!("hosted");
            cx.shared.done.lock(|done| *done += 1);
        }
    }

    #[task(binds = TIM2, priority = 7)]
    fn posts_to_actor(_: posts_to_actor::Context) {
        actor::post(1);
    }

    /// The handler is an actor's.
    #[actor(priority = 6, queue = 4, shared = [done])]
    fn actor(mut cx: actor::Context, times: u32) {
        mark!("actor");
        cx.shared.done.lock(|done| *done += times);
    }

    #[task(binds = TIM7, priority = 7)]
    fn posts_to_hosted_actor(_: posts_to_hosted_actor::Context) {
        hosted_actor::post(1);
    }

    /// The handler is that of an actor below a thread, which is hosted by a thread.
    #[actor(priority = 1, queue = 4, shared = [done])]
    fn hosted_actor(mut cx: hosted_actor::Context, times: u32) {
        mark!("hosted_actor");
        cx.shared.done.lock(|done| *done += times);
    }

    /// The handler is a function of a process.
    #[cfg(feature = "a_process")]
    #[task(binds = EXTI4, priority = 7)]
    fn tells_process(_: tells_process::Context) {
        super::process::EVENTS.tell();
    }

    #[cfg(feature = "another_task")]
    #[task(binds = USART1, priority = 7, shared = [done])]
    fn another_interrupt(mut cx: another_interrupt::Context) {
        cx.shared.done.lock(|done| *done += black_box(1));
    }

    #[cfg(feature = "another_job")]
    #[task(priority = 5, shared = [done])]
    fn another_job(mut cx: another_job::Context) {
        cx.shared.done.lock(|done| *done += black_box(1));
    }

    #[cfg(feature = "another_job")]
    #[task(binds = USART1, priority = 7)]
    fn asks_for_another(_: asks_for_another::Context) {
        another_job::spawn().unwrap_or_else(|()| exit(105));
    }

    #[cfg(feature = "another_async")]
    #[task(priority = 4, shared = [done])]
    async fn another_async(mut cx: another_async::Context) {
        loop {
            FOR_ASYNC.take().await;
            cx.shared.done.lock(|done| *done += black_box(1));
        }
    }

    #[cfg(feature = "another_thread")]
    #[thread(priority = 3, stack = 256, shared = [done])]
    fn another_thread(mut cx: another_thread::Context) {
        loop {
            FOR_THREAD.take().block(&cx.thread);
            cx.shared.done.lock(|done| *done += black_box(1));
        }
    }

    #[cfg(feature = "another_hosted")]
    #[task(priority = 2, shared = [done])]
    async fn another_hosted(mut cx: another_hosted::Context) {
        loop {
            FOR_HOSTED.take().await;
            cx.shared.done.lock(|done| *done += black_box(1));
        }
    }

    #[cfg(feature = "another_actor")]
    #[actor(priority = 6, queue = 4, shared = [done])]
    fn another_actor(mut cx: another_actor::Context, times: u32) {
        cx.shared.done.lock(|done| *done += times);
    }

    #[cfg(feature = "another_actor")]
    #[task(binds = USART1, priority = 7)]
    fn posts_to_another(_: posts_to_another::Context) {
        another_actor::post(black_box(1));
    }

    #[cfg(feature = "another_hosted_actor")]
    #[actor(priority = 1, queue = 4, shared = [done])]
    fn another_hosted_actor(mut cx: another_hosted_actor::Context, times: u32) {
        cx.shared.done.lock(|done| *done += times);
    }

    #[cfg(feature = "another_hosted_actor")]
    #[task(binds = USART1, priority = 7)]
    fn posts_to_another_hosted(_: posts_to_another_hosted::Context) {
        another_hosted_actor::post(black_box(1));
    }
}
