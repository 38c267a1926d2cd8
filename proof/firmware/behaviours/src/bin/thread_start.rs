//! Threads of an application: which start by themselves, ends, starts with arguments, joins.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965)]
mod app {
    use cortex_m_semihosting::{debug, hprintln};

    /// More than the least.
    const STACK: usize = 700;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        given: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        hprintln!("init, `by_itself` is alive: {}", by_itself::handle().is_alive());
        let _ = by_init::start("init");
        (Shared {}, Local { given: 3 })
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        hprintln!("idle");
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[thread(priority = 2, stack = STACK, local = [given, runs: u32 = 0])]
    fn by_itself(cx: by_itself::Context) {
        *cx.local.runs += 1;
        hprintln!("by itself, run {}, given {}", cx.local.runs, cx.local.given);
        if *cx.local.runs > 1 {
            return;
        }
        let _ = worker::start(1, "one");
        hprintln!("started one: {:?}", worker::start(2, "two"));
        let _ = worker::handle().join(&cx.thread);
        hprintln!("one has ended");
        hprintln!("started three: {:?}", worker::start(3, "three").is_ok());
        let _ = worker::handle().join(&cx.thread);
        // Without arguments it can't run.
        hprintln!("started without: {:?}", worker::handle().start());
        hprintln!("is alive: {}", worker::handle().is_alive());
        hprintln!("manual: {:?} {:?}", by_hand::start(), by_hand::start());
        hprintln!("by itself ends");
    }

    #[thread(priority = 1, stack = 512, local = [runs: u32 = 0], name = "the worker")]
    fn worker(cx: worker::Context, number: u32, name: &'static str) {
        *cx.local.runs += 1;
        let this = cx.thread.thread();
        hprintln!("{}, {} bytes: {} {}", cx.thread.name(), this.stack_size(), number, name);
        hprintln!("run {}, high water below: {}", cx.local.runs, this.stack_high_water() < 512);
    }

    #[thread(priority = 3, stack = 512)]
    fn by_init(_: by_init::Context, who: &'static str) {
        hprintln!("by {}", who);
    }

    #[thread(priority = 1, stack = 512, manual)]
    fn by_hand(cx: by_hand::Context) {
        hprintln!("by hand");
        let _ = by_itself::handle().join(&cx.thread);
        hprintln!("itself: {:?}", by_hand::handle().start());
        hprintln!("again: {:?}", by_itself::handle().start());
    }
}
