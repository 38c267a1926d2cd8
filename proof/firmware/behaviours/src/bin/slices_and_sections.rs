//! Who is in a resource's section whenever its slice is over, however long the slice is, doesn't
//! keep the processor from its equals: their turn comes as it leaves.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965)]
mod app {
    use portable_atomic::{AtomicBool, AtomicU32, Ordering};

    use cortex_m_semihosting::{debug, hprintln};
    use quintet::time::{Duration, Instant};

    use super::Clock;

    /// Of sections one after the other, each of which is longer than a slice.
    const SECTIONS: u32 = 20;

    /// Who was seen last, and how often that was another one than before.
    static LAST: AtomicU32 = AtomicU32::new(0);
    static TURNS: AtomicU32 = AtomicU32::new(0);
    /// Whether those of priority 3, and of 2, are through.
    static THROUGH: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

    fn see(number: u32) {
        if LAST.swap(number, Ordering::Relaxed) != number {
            TURNS.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Is seen for a millisecond.
    fn look(number: u32) {
        let end = Instant::now() + Duration::from_millis(1);
        while Instant::now() < end {
            see(number);
        }
    }

    /// The equal of who holds the resource has a turn behind nearly all sections.
    fn judge(slice: &str) {
        let turns = TURNS.swap(0, Ordering::Relaxed);
        hprintln!("slices of {}: {}", slice, turns > SECTIONS && turns <= 2 * SECTIONS + 1);
    }

    #[shared]
    struct Shared {
        long: u32,
        short: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        (Shared { long: 0, short: 0 }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[thread(priority = 3, stack = 1024, slice_us = 500, shared = [long])]
    fn holds_long(mut cx: holds_long::Context) {
        for _ in 0..SECTIONS {
            cx.shared.long.lock(|sections| {
                look(1);
                *sections += 1;
            });
        }
        THROUGH[0].store(true, Ordering::Relaxed);
    }

    #[thread(priority = 3, stack = 1024, slice_us = 500, shared = [long])]
    fn has_long(mut cx: has_long::Context) {
        while !THROUGH[0].load(Ordering::Relaxed) {
            see(2);
        }
        judge("half a section");
        cx.shared.long.lock(|sections| hprintln!("{} sections", sections));
    }

    #[thread(priority = 2, stack = 1024, slice_us = 100, shared = [short])]
    fn holds_short(mut cx: holds_short::Context) {
        for _ in 0..SECTIONS {
            cx.shared.short.lock(|sections| {
                look(3);
                *sections += 1;
            });
        }
        THROUGH[1].store(true, Ordering::Relaxed);
    }

    #[thread(priority = 2, stack = 1024, slice_us = 100, shared = [short])]
    fn has_short(mut cx: has_short::Context) {
        while !THROUGH[1].load(Ordering::Relaxed) {
            see(4);
        }
        judge("a tenth");
        cx.shared.short.lock(|sections| hprintln!("{} sections", sections));
    }
}
