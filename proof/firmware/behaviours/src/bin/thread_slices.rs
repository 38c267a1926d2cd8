//! Threads of an application with `slice_us` take turns among their equals, and no others do.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965)]
mod app {
    use portable_atomic::{AtomicU32, Ordering};

    use cortex_m_semihosting::{debug, hprintln};
    use quintet::time::{Duration, Instant};

    use super::Clock;

    /// Who was seen last, and how often that was another one than before.
    static LAST: AtomicU32 = AtomicU32::new(0);
    static TURNS: AtomicU32 = AtomicU32::new(0);

    /// Is seen for four milliseconds. How often others were seen before.
    fn look(number: u32) -> u32 {
        let end = Instant::now() + Duration::from_millis(4);
        while Instant::now() < end {
            if LAST.swap(number, Ordering::Relaxed) != number {
                TURNS.fetch_add(1, Ordering::Relaxed);
            }
        }
        TURNS.load(Ordering::Relaxed)
    }

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[thread(priority = 3, stack = 1024, slice_us = 500)]
    fn first(_: first::Context) {
        look(1);
    }

    #[thread(priority = 3, stack = 1024, slice_us = 500)]
    fn second(_: second::Context) {
        let turns = look(2);
        hprintln!("with slices: {}", (6..=10).contains(&turns));
    }

    #[thread(priority = 2, stack = 1024)]
    fn third(_: third::Context) {
        TURNS.store(0, Ordering::Relaxed);
        look(3);
    }

    #[thread(priority = 2, stack = 1024)]
    fn fourth(_: fourth::Context) {
        hprintln!("without: {} turns", look(4));
    }
}
