//! The body of an `async` task that is in another module need not be an `async fn`: what it does
//! before it returns its future is done in the task's level, not where the task is spawned. So it
//! doesn't meet a lock that is open there.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use cortex_m_semihosting::{debug, hprintln};

    use crate::bodies::{add, follow};

    #[shared]
    pub struct Shared {
        total: u32,
    }

    #[local]
    pub struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { total: 1 }, Local {})
    }

    #[idle(shared = [total])]
    fn idle(mut cx: idle::Context) -> ! {
        cx.shared.total.lock(|total| {
            let before = *total;
            let handle = add::spawn(10);
            let _ = follow::spawn(100);
            hprintln!("spawned: {}; total {} then {}", handle.is_ok(), before, *total);
        });
        cx.shared.total.lock(|total| hprintln!("total {}", *total));
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    extern "Rust" {
        #[task(priority = 2, joinable, shared = [total])]
        async fn add(_: add::Context, amount: u32);

        #[task(priority = 1, shared = [total])]
        async fn follow(_: follow::Context, amount: u32);
    }
}

/// The bodies.
mod bodies {
    use core::future::{Future, ready};

    use cortex_m_semihosting::hprintln;
    use quintet::Mutex;

    use crate::app;

    /// Adds before there is a future.
    pub fn add(mut cx: app::add::Context<'_>, amount: u32) -> impl Future<Output = ()> {
        cx.shared.total.lock(|total| {
            *total += amount;
            hprintln!("add makes {}", *total);
        });
        ready(())
    }

    /// The same, in a task without a handle.
    pub fn follow(mut cx: app::follow::Context<'_>, amount: u32) -> impl Future<Output = ()> {
        cx.shared.total.lock(|total| {
            *total += amount;
            hprintln!("follow makes {}", *total);
        });
        ready(())
    }
}
