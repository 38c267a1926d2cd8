//! PendSV, SVCall and SysTick are the application's: tasks bound to them have priorities and
//! resources, are not started by anybody else, and wake software tasks.
#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use cortex_m::peripheral::SCB;
    use cortex_m_semihosting::{debug, hprintln};

    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        SCB::set_pendsv();
        hprintln!("init returns");
        (Shared { count: 0 }, Local {})
    }

    #[idle(shared = [count])]
    fn idle(mut cx: idle::Context) -> ! {
        hprintln!("idle");
        cx.shared.count.lock(|count| {
            SCB::set_pendsv();
            SCB::set_pendst();
            cortex_m::asm::isb();
            *count += 1;
            hprintln!("unlock at {}", count);
        });
        // SAFETY: the handler takes no arguments.
        unsafe { core::arch::asm!("svc 0") };
        hprintln!("{}", cx.shared.count.lock(|count| *count));
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::nop();
        }
    }

    #[task(binds = PendSV, priority = 2, shared = [count])]
    fn pend_sv(mut cx: pend_sv::Context) {
        let count = cx.shared.count.lock(|count| {
            *count += 10;
            *count
        });
        hprintln!("PendSV {}", count);
    }

    #[task(binds = SysTick, priority = 3, shared = [count])]
    fn tick(mut cx: tick::Context) {
        let count = cx.shared.count.lock(|count| {
            *count += 100;
            *count
        });
        hprintln!("SysTick {}", count);
        last::spawn().unwrap();
        hprintln!("SysTick ends");
    }

    #[task(binds = SVCall, shared = [count])]
    fn call(mut cx: call::Context) {
        let count = cx.shared.count.lock(|count| {
            *count += 1000;
            *count
        });
        hprintln!("SVCall {}", count);
    }

    #[task(priority = 1)]
    async fn last(_: last::Context) {
        hprintln!("woken");
    }
}
