//! Five threads that wait for a time in futures: each has a timer, so none polls meanwhile, and the
//! least urgent thread has the processor.
#![no_std]
#![no_main]

use semihosting as _;

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965)]
mod app {
    use core::future::Future;
    use core::task::Poll;
    use cortex_m_semihosting::{debug, hprintln};
    use embassy_time::{Duration, Instant, Timer};
    use portable_atomic::{AtomicU32, Ordering};
    use quintet::thread::CurrentThread;

    const WAIT: Duration = Duration::from_millis(2);
    /// How often each waits.
    const ROUNDS: u32 = 3;

    /// How often somebody was woken, and how often a future was polled.
    static WOKEN: AtomicU32 = AtomicU32::new(0);
    static POLLED: AtomicU32 = AtomicU32::new(0);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        super::Clock::start(cx.core.SYST);
        (Shared {}, Local {})
    }

    fn wait(this: &CurrentThread<'_>) {
        for _ in 0..ROUNDS {
            let began = Instant::now();
            let mut timer = core::pin::pin!(Timer::after(WAIT));
            this.block_on(core::future::poll_fn(|context| {
                POLLED.fetch_add(1, Ordering::Relaxed);
                let waker = context.waker();
                assert!(waker.clone().will_wake(waker), "whoever keeps a waker wakes itself");
                timer.as_mut().poll(context)
            }));
            assert!(began.elapsed() >= WAIT, "it was woken early");
            WOKEN.fetch_add(1, Ordering::Relaxed);
        }
        // One that ends early takes its timer along.
        let mut late = core::pin::pin!(Timer::after(Duration::from_secs(1000)));
        this.block_on(core::future::poll_fn(|context| {
            assert!(late.as_mut().poll(context).is_pending());
            Poll::Ready(())
        }));
    }

    #[thread(priority = 6, stack = 1024)]
    fn first(cx: first::Context) {
        wait(&cx.thread);
    }

    #[thread(priority = 5, stack = 1024)]
    fn second(cx: second::Context) {
        wait(&cx.thread);
    }

    #[thread(priority = 4, stack = 1024)]
    fn third(cx: third::Context) {
        wait(&cx.thread);
    }

    #[thread(priority = 3, stack = 1024)]
    fn fourth(cx: fourth::Context) {
        wait(&cx.thread);
    }

    #[thread(priority = 2, stack = 1024)]
    fn fifth(cx: fifth::Context) {
        wait(&cx.thread);
    }

    #[thread(priority = 1, stack = 1024)]
    fn lowest(_: lowest::Context) {
        let woken = || WOKEN.load(Ordering::Relaxed);
        while woken() < 5 * ROUNDS {}
        let polled = POLLED.load(Ordering::Relaxed);
        hprintln!("{} waits, {} polls", woken(), polled);
        debug::exit(debug::EXIT_SUCCESS);
    }
}
