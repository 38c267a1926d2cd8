//! Tasks of a capacity above 1 run in the order of their spawns; plain tasks free their place when
//! they begin, async ones when they end.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use core::future::poll_fn;
    use core::task::Poll;
    use cortex_m_semihosting::{debug, hprintln};
    use portable_atomic::{AtomicU32, Ordering};

    /// How many instances of `slow` may end.
    static PERMITS: AtomicU32 = AtomicU32::new(0);

    fn permit() {
        // ARMv6-M has no `fetch_add`.
        cortex_m::interrupt::free(|_| {
            PERMITS.store(PERMITS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        });
        slow::waker().wake();
    }

    fn take_permit() -> Poll<()> {
        match PERMITS.load(Ordering::Relaxed) {
            0 => Poll::Pending,
            permits => {
                PERMITS.store(permits - 1, Ordering::Relaxed);
                Poll::Ready(())
            }
        }
    }

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        for n in 0..4 {
            hprintln!("slow {}: {:?}", n, slow::spawn(n));
        }
        for n in 0..4_u8 {
            hprintln!("plain {}: {:?}", n, plain::spawn(n, "text"));
        }
        hprintln!("once: {:?}", once::spawn());
        hprintln!("once: {:?}", once::spawn());
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        hprintln!("idle");
        for n in 10..14 {
            permit();
            hprintln!("slow {}: {:?}", n, slow::spawn(n));
        }
        for _ in 0..3 {
            permit();
        }
        hprintln!("slow 20: {:?}", slow::spawn(20));
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    /// Each instance waits for its permit.
    #[task(priority = 2, capacity = 3)]
    async fn slow(_: slow::Context, slot: u32) {
        hprintln!("slow {} begins", slot);
        poll_fn(|_| take_permit()).await;
        hprintln!("slow {} ends", slot);
    }

    #[task(priority = 1, capacity = 3, local = [runs: u32 = 0])]
    fn plain(cx: plain::Context, number: u8, text: &'static str) {
        *cx.local.runs += 1;
        hprintln!("plain {} {} {}", number, text, cx.local.runs);
        if number == 2 {
            // All three places are free by now.
            for n in 5..9 {
                hprintln!("plain {}: {:?}", n, plain::spawn(n, "again"));
            }
        }
    }

    #[task(priority = 1)]
    fn once(_: once::Context) {
        hprintln!("once {:?} {:?}", once_more::spawn(7), once_more::spawn(8));
    }

    #[task(priority = 1)]
    fn once_more(_: once_more::Context, instance: u64) {
        hprintln!("once more {}", instance);
    }
}
