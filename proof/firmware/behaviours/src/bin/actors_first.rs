//! The first event of an actor comes before others that are posted; values of instances know their
//! numbers; a publication that finds no room says so.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use cortex_m_semihosting::{debug, hprintln};

    /// A topic.
    #[derive(Clone)]
    pub struct Topic(pub u8);

    /// The application's own constant.
    const SEED: usize = 40;

    impl From<Topic> for u8 {
        fn from(topic: Topic) -> Self {
            topic.0
        }
    }

    #[shared]
    pub struct Shared {}

    #[local]
    pub struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        low::post(2);
        low::post(1);
        waiting::post(6);
        each::post(1, 9);
        each::post(0, 8);
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        for one in 0..2 {
            late::start();
            late::post(one);
            late::stop();
            late::start();
            late::restart();
        }
        let lost = try_publish(Topic(1)).map_err(|missed| missed.actors());
        hprintln!("published: {:?}", lost);
        let lost = fill(Topic(2)).map_err(|missed| missed.actors());
        hprintln!("published from above: {:?}", lost);
        low::stop();
        hprintln!("to the others: {:?}", try_publish(Topic(3)).is_ok());
        hprintln!("of nobody: {:?}", try_publish(0_u64).is_ok());
        debug::exit(debug::EXIT_SUCCESS);
        unreachable!()
    }

    /// Publishes while nobody takes anything.
    fn fill(topic: Topic) -> Result<(), quintet::actor::Missed> {
        cortex_m::interrupt::free(|_| {
            for one in 0..4 {
                let _ = low::try_post(one + 10);
                let _ = each::try_post(0, one + 20);
            }
            try_publish(topic)
        })
    }

    #[actor(priority = 1, queue = 4, first = 0, subscribe = [Topic])]
    fn low(_: low::Context, event: u8) {
        hprintln!("low: {}", event);
    }

    #[actor(priority = 1, queue = 2, first = 5)]
    async fn waiting(_: waiting::Context<'_>, event: u8) {
        core::future::ready(()).await;
        hprintln!("waiting: {}", event);
    }

    #[actor(
        priority = 2,
        queue = 2,
        instances = 2,
        first = 4 + INSTANCE as u8,
        subscribe = [Topic],
        local = [seen: usize = SEED + INSTANCE, all: [usize; 2] = [0, INSTANCE]],
    )]
    fn each(cx: each::Context, event: u8) {
        *cx.local.seen += 10;
        hprintln!("each {}: {}, {}, {:?}", cx.instance, event, *cx.local.seen, *cx.local.all);
    }

    #[actor(priority = 2, queue = 1, first = 100, manual)]
    fn late(_: late::Context, event: u8) {
        hprintln!("late: {}", event);
    }
}
