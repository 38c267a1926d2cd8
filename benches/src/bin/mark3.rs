//! Group `mark3`: one application, preemptive, and cooperative by one word.
//!
//! The scenario is written down in `scenarios/mark3.toml`. With `foreground_only` there is no
//! second thread.

#![no_std]
#![no_main]

quintet_bench_common::vectors!();

#[cfg_attr(
    not(feature = "cooperative"),
    quintet::app(device = quintet_bench_common::device, peripherals = false)
)]
#[cfg_attr(
    feature = "cooperative",
    quintet::app(
        device = quintet_bench_common::device,
        peripherals = false,
        scheduler = "cooperative"
    )
)]
mod app {
    use quintet::sync::Semaphore;
    use quintet_bench_common::{exit, mark};

    /// The processor's clock, and how often the event comes in a second.
    const CLOCK_HZ: u32 = 8_000_000;
    const EVENT_HZ: u32 = 30;
    /// So many events are handled.
    const EVENTS: u32 = 12;
    /// Every so many events there is work in the background, for longer than to the next event.
    #[cfg(not(feature = "foreground_only"))]
    const WORK_EVERY: u32 = 4;
    #[cfg(not(feature = "foreground_only"))]
    const WORK_LOOPS: u32 = 100_000;

    /// The event of the foreground, and that of the background.
    static EVENT: Semaphore = Semaphore::new(0);
    #[cfg(not(feature = "foreground_only"))]
    static WORK: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(mut cx: init::Context) -> (Shared, Local) {
        let timer = &mut cx.core.SYST;
        timer.set_clock_source(cortex_m::peripheral::syst::SystClkSource::Core);
        timer.set_reload(CLOCK_HZ / EVENT_HZ - 1);
        timer.clear_current();
        timer.enable_counter();
        timer.enable_interrupt();
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        mark!("idle_begins");
        loop {
            cortex_m::asm::wfi();
        }
    }

    /// The timer.
    #[task(binds = SysTick, priority = 8)]
    fn tick(_: tick::Context) {
        mark!("event");
        EVENT.give();
    }

    /// Handles the event.
    #[thread(priority = 4, stack = 256, local = [handled: u32 = 0])]
    fn foreground(cx: foreground::Context) {
        loop {
            EVENT.take().block(&cx.thread);
            mark!("handler");
            *cx.local.handled += 1;
            if *cx.local.handled == EVENTS {
                exit(0);
            }
            #[cfg(not(feature = "foreground_only"))]
            if (*cx.local.handled).is_multiple_of(WORK_EVERY) {
                WORK.give();
            }
        }
    }

    /// Works when there is something to do, and lets others run now and then: what a cooperative
    /// scheduler needs, and a preemptive one allows.
    #[cfg(not(feature = "foreground_only"))]
    #[thread(priority = 2, stack = 256)]
    fn background(cx: background::Context) {
        loop {
            WORK.take().block(&cx.thread);
            for step in 0..WORK_LOOPS {
                core::hint::black_box(step);
                if step % 1000 == 0 {
                    cx.thread.yield_now();
                }
            }
        }
    }
}
