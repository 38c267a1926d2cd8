//! The handler of an actor with a threshold isn't preempted by actors up to it, whether a thread
//! hosts it or its level runs it; what is above the threshold preempts it at once.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0, GPIOA])]
mod app {
    use cortex_m_semihosting::{debug, hprintln};

    #[shared]
    struct Shared {
        total: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        one::post(());
        (Shared { total: 0 }, Local {})
    }

    #[actor(priority = 1, queue = 1, threshold = 3)]
    fn one(_: one::Context, (): ()) {
        hprintln!("1 begins");
        three::post(());
        hprintln!("1 has posted to 3");
        let _ = top::start();
        five::post(());
        hprintln!("1 ends");
    }

    #[actor(priority = 3, queue = 1, shared = [total])]
    fn three(mut cx: three::Context, (): ()) {
        hprintln!("3: the total is {}", cx.shared.total.lock(|total| *total));
        debug::exit(debug::EXIT_SUCCESS);
    }

    #[thread(priority = 4, stack = 768, manual)]
    fn top(_: top::Context) {
        hprintln!("thread of priority 4");
    }

    #[actor(priority = 5, queue = 1, threshold = 6, shared = [total])]
    fn five(mut cx: five::Context, (): ()) {
        hprintln!("5 begins");
        six::post(());
        // What the end of a lock lets in is above the threshold still.
        cx.shared.total.lock(|total| *total += 5);
        hprintln!("5 has posted to 6");
        seven::post(());
        hprintln!("5 ends");
    }

    #[actor(priority = 6, queue = 1, shared = [total])]
    fn six(mut cx: six::Context, (): ()) {
        cx.shared.total.lock(|total| *total += 6);
        hprintln!("6");
    }

    #[actor(priority = 7, queue = 1)]
    fn seven(_: seven::Context, (): ()) {
        hprintln!("7");
    }
}
