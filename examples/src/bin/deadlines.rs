//! Tasks with periods and deadlines, which `quintet deadlines` judges.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use cortex_m::asm::delay;
    use cortex_m::peripheral::syst::SystClkSource;
    use lm3s6965::Interrupt;
    use quintet::sync::Semaphore;
    use semihosting::println;

    /// Turns of `delay` in a microsecond: each takes three cycles of twelve.
    const MICROSECOND: u32 = 4;
    /// So many milliseconds are enough.
    const TICKS: u32 = 45;

    static TENTHS: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {
        samples: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        let mut timer = cx.core.SYST;
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(12_000 - 1);
        timer.clear_current();
        timer.enable_counter();
        timer.enable_interrupt();
        (Shared { samples: 0 }, Local {})
    }

    // Every millisecond, it lets the others work. It declares nothing, and is seen nevertheless.
    #[task(binds = SysTick, priority = 4, local = [ticks: u32 = 0])]
    fn tick(cx: tick::Context) {
        *cx.local.ticks += 1;
        quintet::pend(Interrupt::GPIOA);
        let _ = filter::spawn();
        if cx.local.ticks.is_multiple_of(10) {
            TENTHS.give();
        }
        if *cx.local.ticks == TICKS {
            println!("{} ms are over", cx.local.ticks);
            semihosting::process::exit(0);
        }
    }

    // begin: declare
    #[task(binds = GPIOA, priority = 3, shared = [samples], period = "1 ms", deadline = "300 us")]
    fn control(mut cx: control::Context) {
        cx.shared.samples.lock(|samples| *samples += 1);
        delay(50 * MICROSECOND);
    }

    // Without a deadline, a job must be done when the next one comes.
    #[task(priority = 2, period = "1 ms")]
    fn filter(_: filter::Context) {
        delay(200 * MICROSECOND);
    }

    #[thread(priority = 1, stack = 1024, shared = [samples], period = "10 ms", deadline = "8 ms")]
    fn log(mut cx: log::Context) {
        loop {
            // A job of a thread ends where the thread waits.
            TENTHS.take().block(&cx.thread);
            // `control` waits until that is over.
            cx.shared.samples.lock(|samples| {
                *samples = 0;
                delay(100 * MICROSECOND);
            });
            delay(1900 * MICROSECOND);
        }
    }
    // end: declare
}
