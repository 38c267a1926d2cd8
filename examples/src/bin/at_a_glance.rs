//! Three models in a page: an interrupt's task, a task that can wait, and a thread.

#![no_std]
#![no_main]

// begin: application
quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965)]
mod app {
    use embassy_time::Timer;
    use quintet::sync::Semaphore;
    use semihosting::println;

    static REPORTED: Semaphore = Semaphore::new(0);

    #[shared]
    struct Shared {
        samples: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        super::Clock::start(cx.core.SYST);
        quintet::pend(lm3s6965::Interrupt::ADC0_SEQUENCE_0);
        (Shared { samples: 0 }, Local {})
    }

    // An interrupt's routine, with data that it shares.
    #[task(binds = ADC0_SEQUENCE_0, priority = 2, shared = [samples])]
    fn sample(mut cx: sample::Context) {
        cx.shared.samples.lock(|samples| *samples += 1);
        report::spawn().ok();
    }

    // A task that can wait.
    #[task(priority = 1, shared = [samples])]
    async fn report(mut cx: report::Context) {
        Timer::after_millis(10).await;
        let samples = cx.shared.samples.lock(|samples| *samples);
        println!("samples: {samples}");
        REPORTED.give();
    }

    // A thread, with a stack of its own: it waits in the middle of its work. (The task above is
    // at its priority, so that a thread runs it.)
    #[thread(priority = 1, stack = 1024)]
    fn archive(cx: archive::Context) {
        REPORTED.take().block(&cx.thread);
        println!("archived");
        semihosting::process::exit(0)
    }
}
// end: application
