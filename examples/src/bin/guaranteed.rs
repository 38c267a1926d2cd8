//! Tasks whose deadlines are met in every run: `quintet deadlines` says BOUNDED.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use cortex_m::peripheral::syst::SystClkSource;
    use semihosting::println;

    /// The filter looks at so many samples.
    const SAMPLES: usize = 16;
    /// So many milliseconds are enough.
    const TICKS: u32 = 30;

    #[shared]
    struct Shared {
        ticks: u32,
        mean: u32,
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
        (Shared { ticks: 0, mean: 0 }, Local {})
    }

    // What prints takes a host's time, which has no bound. So only `idle` does, which has no
    // deadline.
    #[idle(shared = [ticks, mean])]
    fn idle(mut cx: idle::Context) -> ! {
        while cx.shared.ticks.lock(|ticks| *ticks) < TICKS {
            cortex_m::asm::wfi();
        }
        let mean = cx.shared.mean.lock(|mean| *mean);
        println!("after {} ms the mean is {}", TICKS, mean);
        semihosting::process::exit(0)
    }

    // begin: bounded
    // The timer is reloaded each 12 000 cycles, so two interrupts never come nearer than that.
    #[task(binds = SysTick, priority = 3, shared = [ticks], period = "1 ms", deadline = "30 us")]
    fn sample(mut cx: sample::Context) {
        cx.shared.ticks.lock(|ticks| *ticks += 1);
        let _ = filter::spawn();
    }

    // `sample` spawns it, sooner or later in its own job: two spawns come a little nearer to each
    // other than two interrupts.
    #[task(priority = 2, shared = [mean], local = [samples: [u32; SAMPLES] = [0; SAMPLES]],
           period = "970 us", deadline = "300 us")]
    fn filter(mut cx: filter::Context) {
        let mut sum = 0;
        // The compiler counts these rounds, and so does `quintet bounds`.
        for place in 0..SAMPLES {
            cx.local.samples[place] += place as u32;
            sum += cx.local.samples[place];
        }
        cx.shared.mean.lock(|mean| *mean = sum / SAMPLES as u32);
    }
    // end: bounded
}
