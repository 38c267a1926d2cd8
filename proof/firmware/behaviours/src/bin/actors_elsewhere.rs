//! Actors whose bodies are in another module, under conditions, with raw names; time events, pools
//! and deferral with what `#[actor]` defines.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use cortex_m_semihosting::hprintln;
    use quintet::actor::{Deferred, EventPool, Shared as Block, TimeEvent};
    use quintet::time::Duration;

    use crate::bodies::{each, table, waiting};

    /// Blocks that several receive.
    pub static BLOCKS: EventPool<[u8; 32], 2> = EventPool::new();

    /// Posted in time.
    pub static TICK: TimeEvent<u8> = TimeEvent::new(table::handle(), 7);
    /// The same to an instance.
    pub static LATE: TimeEvent<u32> = TimeEvent::new(each::handle(1), 50);

    #[shared]
    pub struct Shared {
        total: u32,
    }

    #[local]
    pub struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        crate::Clock::start(cx.core.SYST);
        table::post(1);
        each::post(0, 10);
        each::post(1, 20);
        waiting::post(100);
        waiting::post(200);
        either::post(1);
        r#move::post(3);
        let mut block = BLOCKS.try_new([0; 32]).unwrap();
        block[31] = 5;
        let block = block.share();
        read::post(0, block.clone());
        read::post(1, block);
        TICK.arm(Duration::from_millis(1));
        LATE.arm(Duration::from_millis(2));
        (Shared { total: 0 }, Local {})
    }

    extern "Rust" {
        #[actor(priority = 2, queue = 2, shared = [total])]
        fn table(_: table::Context, event: u8);

        #[actor(priority = 1, queue = 2, instances = 2, local = [sum: u32 = 0])]
        fn each(_: each::Context, event: u32);

        #[actor(priority = 1, queue = 2, shared = [total])]
        async fn waiting(_: waiting::Context<'_>, event: u32);
    }

    #[cfg(not(feature = "embassy-sync"))]
    #[actor(priority = 1, queue = 1)]
    fn either(_: either::Context, event: u8) {
        hprintln!("either: {}", event);
    }

    #[cfg(feature = "embassy-sync")]
    #[actor(priority = 2, queue = 3, first = 1, subscribe = [u8])]
    fn either(_: either::Context, event: u8) {
        hprintln!("the other: {}", event);
    }

    #[actor(priority = 1, queue = 2, local = [later: Deferred<u8, 2> = Deferred::new()])]
    fn r#move(cx: r#move::Context, event: u8) {
        hprintln!("move: {}", event);
        match event {
            3 => {
                let _ = cx.local.later.defer(4);
                r#move::post(5);
            }
            5 => {
                cx.local.later.recall(r#move::handle());
            }
            _ => {}
        }
    }

    #[actor(priority = 1, queue = 1, instances = 2)]
    async fn read(cx: read::Context<'_>, block: Block<[u8; 32]>) {
        hprintln!("read {}: {}", cx.instance, block[31]);
    }
}

/// The bodies.
mod bodies {
    use cortex_m_semihosting::{debug, hprintln};
    use quintet::Mutex;

    use crate::app;

    /// An actor.
    pub fn table(mut cx: app::table::Context, event: u8) {
        cx.shared.total.lock(|total| *total += u32::from(event));
        hprintln!("table: {}", event);
    }

    /// Two of them.
    pub fn each(cx: app::each::Context, event: u32) {
        *cx.local.sum += event;
        hprintln!("each {}: {}", cx.instance, *cx.local.sum);
        if event == 50 {
            debug::exit(debug::EXIT_SUCCESS);
        }
    }

    /// One that waits.
    pub async fn waiting(mut cx: app::waiting::Context<'_>, event: u32) {
        cx.shared.total.lock(|total| {
            *total += event;
            hprintln!("waiting: {}", *total);
        });
        core::future::ready(()).await;
    }
}
