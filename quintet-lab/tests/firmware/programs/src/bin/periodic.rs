//! Tasks of each kind that declare periods and deadlines: every millisecond SysTick pends an
//! interrupt and spawns a task, and wakes a thread every tenth time.
//!
//! `log` takes two milliseconds of ten, and is under the ceiling of `samples` for 100 us of them,
//! which `control` waits for. `filter` has a part of a millisecond left, and meets its deadline.
#![no_std]
#![no_main]

use cortex_m_rt as _;
use semihosting as _;

/// A chip with two interrupts.
mod device {
    pub const NVIC_PRIO_BITS: u8 = 3;

    #[allow(non_camel_case_types)]
    #[derive(Clone, Copy)]
    pub enum interrupt {
        GPIOA = 0,
        SSI0 = 7,
    }
    pub use interrupt as Interrupt;

    // SAFETY: the numbers are those of the interrupts.
    unsafe impl cortex_m::interrupt::InterruptNumber for interrupt {
        fn number(self) -> u16 {
            self as u16
        }
    }
}

#[quintet::app(device = crate::device, peripherals = false, dispatchers = [SSI0])]
mod app {
    use cortex_m::asm::delay;
    use cortex_m::peripheral::syst::SystClkSource;
    use quintet::sync::Semaphore;

    use super::device::Interrupt;

    /// Cycles of a microsecond: the board has 12 MHz.
    const MICROSECOND: u32 = 12;
    /// A tick takes a millisecond.
    const TICK: u32 = 1000 * MICROSECOND;
    /// The program ends after so many.
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
        timer.set_reload(TICK - 1);
        timer.clear_current();
        timer.enable_counter();
        timer.enable_interrupt();
        // What comes meanwhile waits for the end of `init`, and doesn't count before it.
        delay(3 * TICK / 2);
        (Shared { samples: 0 }, Local {})
    }

    #[task(binds = SysTick, priority = 4, local = [ticks: u32 = 0])]
    fn tick(cx: tick::Context) {
        *cx.local.ticks += 1;
        quintet::pend(Interrupt::GPIOA);
        let _ = filter::spawn();
        if *cx.local.ticks % 10 == 0 {
            TENTHS.give();
        }
        if *cx.local.ticks == TICKS {
            semihosting::process::exit(0);
        }
    }

    #[task(binds = GPIOA, priority = 3, shared = [samples], period = "1 ms", deadline = "300 us")]
    fn control(mut cx: control::Context) {
        cx.shared.samples.lock(|samples| *samples += 1);
        delay(50 * MICROSECOND);
    }

    #[task(priority = 2, period = "1 ms")]
    fn filter(_: filter::Context) {
        delay(200 * MICROSECOND);
    }

    #[thread(
        priority = 1, stack = 512, shared = [samples], period = "10 ms", deadline = "8 ms",
        name = "the log"
    )]
    fn log(mut cx: log::Context) {
        loop {
            TENTHS.take().block(&cx.thread);
            held(|| {
                cx.shared.samples.lock(|samples| {
                    *samples = 0;
                    delay(100 * MICROSECOND);
                });
            });
            delay(1900 * MICROSECOND);
        }
    }

    /// A place for what is under the lock.
    #[inline(never)]
    fn held(section: impl FnOnce()) {
        section();
    }
}
