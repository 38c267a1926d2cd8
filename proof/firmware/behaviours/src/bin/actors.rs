//! Actors of two levels: one event at a time, those of a level in turn, a more urgent one in
//! between; instances, publishing, posts before others, and what a full queue gives back.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use cortex_m_semihosting::{debug, hprintln};

    /// What is published when a philosopher may eat.
    #[derive(Clone)]
    pub struct Eat(usize);

    /// What nobody hears at first.
    #[derive(Clone)]
    pub struct Pause;

    /// What the table hears.
    #[derive(Debug, PartialEq)]
    pub enum TableEvent {
        /// The first of all.
        Start,
        /// A philosopher is hungry.
        Hungry(usize),
        /// A philosopher is done.
        Done(usize),
        /// Somebody else may eat.
        Served,
        /// All is over.
        End,
    }

    impl From<Eat> for TableEvent {
        fn from(_: Eat) -> Self {
            Self::Served
        }
    }

    /// What a philosopher hears.
    pub enum PhiloEvent {
        /// The first.
        Start,
        /// Somebody may eat.
        Eat(usize),
        /// Nobody may.
        Pause,
        /// An event that is only counted.
        Count,
    }

    impl From<Eat> for PhiloEvent {
        fn from(Eat(who): Eat) -> Self {
            Self::Eat(who)
        }
    }

    impl From<Pause> for PhiloEvent {
        fn from(Pause: Pause) -> Self {
            Self::Pause
        }
    }

    #[shared]
    struct Shared {
        meals: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // Behind the first event, which is there already.
        table::post(TableEvent::Hungry(9));
        hprintln!("init: {} wait for the table", table::queue().len);
        (Shared { meals: 0 }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        hprintln!("idle: publish Eat(1)");
        publish(Eat(1));
        hprintln!("idle: publish Pause to nobody, then to philosopher 2");
        publish(Pause);
        philo::subscribe::<Pause>(2);
        publish(Pause);
        philo::unsubscribe::<Pause>(2);
        publish(Pause);
        hprintln!("idle: four counts to philosopher 0, who is less urgent than what posts them");
        quintet::pend(lm3s6965::Interrupt::UART0);
        let fill = philo::queue(0);
        hprintln!("idle: philosopher 0 had {} of {}", fill.high_water, fill.capacity);
        let handle = philo::handle(1);
        handle.post(PhiloEvent::Count);
        hprintln!("idle: by the handle of `{}`", handle.name());
        table::stop();
        let refused = table::try_post(TableEvent::Done(0));
        hprintln!("idle: stopped: {:?}", refused);
        publish(Eat(5));
        table::restart();
        table::post(TableEvent::End);
        loop {
            cortex_m::asm::wfi();
        }
    }

    /// Posts while those of priority 1 can't run.
    #[task(binds = UART0, priority = 3)]
    fn receive(_: receive::Context) {
        for _ in 0..2 {
            philo::post(0, PhiloEvent::Count);
        }
        philo::post_front(0, PhiloEvent::Eat(7));
        let margin = philo::try_post_margin(0, PhiloEvent::Count, 1).is_ok();
        let back = philo::try_post(0, PhiloEvent::Count).is_ok();
        let front = philo::try_post_front(0, PhiloEvent::Count).is_ok();
        philo::post(1, PhiloEvent::Count);
        hprintln!("receive: margin {}, back {}, front {}", margin, back, front);
    }

    #[actor(
        priority = 2, queue = 3, first = TableEvent::Start, subscribe = [Eat], shared = [meals]
    )]
    fn table(mut cx: table::Context, event: TableEvent) {
        match event {
            TableEvent::End => {
                let meals = cx.shared.meals.lock(|meals| *meals);
                hprintln!("table: {} meals", meals);
                debug::exit(debug::EXIT_SUCCESS);
            }
            event => hprintln!("table: {:?}", event),
        }
    }

    #[actor(
        priority = 1, queue = 4, instances = 3, first = PhiloEvent::Start,
        subscribe = [Eat, Pause: off], shared = [meals], local = [count: u32 = 0]
    )]
    fn philo(mut cx: philo::Context, event: PhiloEvent) {
        let me = cx.instance;
        match event {
            PhiloEvent::Start => {
                hprintln!("philosopher {}: start", me);
                table::post(TableEvent::Hungry(me));
                hprintln!("philosopher {}: waits", me);
            }
            PhiloEvent::Eat(who) if who == me => {
                cx.shared.meals.lock(|meals| *meals += 1);
                hprintln!("philosopher {}: eats", me);
                table::post(TableEvent::Done(me));
            }
            PhiloEvent::Eat(who) => hprintln!("philosopher {}: {} eats", me, who),
            PhiloEvent::Pause => hprintln!("philosopher {}: pause", me),
            PhiloEvent::Count => {
                *cx.local.count += 1;
                hprintln!("philosopher {}: count {}", me, *cx.local.count);
            }
        }
    }
}
