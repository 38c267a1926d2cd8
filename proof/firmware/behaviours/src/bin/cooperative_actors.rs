//! Actors of several kinds where the scheduler is cooperative and there is a thread: all are
//! hosted; a post to a more urgent one doesn't interrupt who posts; an `async` one takes its next
//! event when its handler has ended.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, scheduler = "cooperative", host_stack = 2048)]
mod app {
    use core::future::poll_fn;
    use core::task::Poll;
    use cortex_m_semihosting::{debug, hprintln};

    /// A step of the motor.
    #[derive(Clone, Copy)]
    pub struct Step(u32);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        if motor::try_post(Step(0)).is_err() {
            hprintln!("init: the motor is stopped");
        }
        motor::start();
        motor::post(Step(1));
        motor::post(Step(2));
        wheel::post(0, 10);
        wheel::post(1, 20);
        wheel::post(0, 11);
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4, manual)]
    async fn motor(_: motor::Context<'_>, Step(step): Step) {
        hprintln!("motor: step {} begins", step);
        urgent::post(step);
        hprintln!("motor: has posted");
        yield_once().await;
        hprintln!("motor: step {} ends", step);
    }

    /// Async, with locals of each instance.
    #[actor(priority = 1, queue = 2, instances = 2, local = [turns: u32 = 0])]
    async fn wheel(cx: wheel::Context<'_>, by: u32) {
        *cx.local.turns += by;
        yield_once().await;
        hprintln!("wheel {}: {}", cx.instance, *cx.local.turns);
    }

    #[actor(priority = 3, queue = 2, local = [last: u32 = 0])]
    fn urgent(cx: urgent::Context, step: u32) {
        hprintln!("urgent: {} behind {}", step, *cx.local.last);
        *cx.local.last = step;
    }

    /// The least urgent, and so the last.
    #[actor(queue = 1)]
    fn last(_: last::Context, (): ()) {
        hprintln!("last: in thread mode");
        debug::exit(debug::EXIT_SUCCESS);
    }

    #[thread(priority = 2, stack = 768)]
    fn beside(_: beside::Context) {
        hprintln!("thread: posts");
        urgent::post(100);
        last::post(());
        hprintln!("thread: ends");
    }

    /// Lets others of the priority have a turn.
    async fn yield_once() {
        let mut is_later = false;
        poll_fn(|context| {
            context.waker().wake_by_ref();
            if core::mem::replace(&mut is_later, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}
