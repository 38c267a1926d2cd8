//! Topics are published from everywhere: by the application's own call, by a path, from another
//! module, in a macro and in a generic function. What no actor lists is dropped there; what the
//! application calls `publish` itself is its own.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use cortex_m_semihosting::{debug, hprintln};

    use crate::elsewhere;

    /// What is published.
    #[derive(Clone)]
    pub struct Eat(pub u8);

    /// What nobody hears.
    pub struct Pause;

    /// What is there under a condition only, as is who hears it.
    #[cfg(feature = "embassy-sync")]
    #[derive(Clone)]
    pub struct Rare;

    /// In a macro.
    macro_rules! tell {
        ($($topic:expr),*) => { $(publish($topic);)* };
    }

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        publish(Eat(1));
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        self::publish(Eat(2));
        self::publish(Pause);
        tell!(Eat(3), Pause);
        generic(Eat(4));
        generic(Pause);
        either(Eat(5), Pause);
        elsewhere::tell();
        let function: fn(Eat) = publish;
        function(Eat(7));
        own();
        let function: fn(Pause) = publish;
        function(Pause);
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    /// The type is known where it is called.
    fn generic<T: 'static>(topic: T) {
        publish(topic);
    }

    /// The same.
    fn either(first: impl Send + 'static, second: impl Send + 'static) {
        publish(first);
        publish(second);
    }

    /// Something else of this name.
    fn own() {
        let publish = |number: u8| hprintln!("own: {}", number);
        publish(8);
    }

    #[actor(priority = 1, queue = 1, subscribe = [Eat])]
    fn table(_: table::Context, Eat(number): Eat) {
        hprintln!("table: {}", number);
    }

    /// Its event has a name that the framework could use.
    #[actor(priority = 1, queue = 1, subscribe = [Eat])]
    async fn waiter(_: waiter::Context<'_>, cell: Eat) {
        core::future::ready(()).await;
        hprintln!("waiter: {}", cell.0);
    }

    #[cfg(feature = "embassy-sync")]
    #[actor(priority = 1, queue = 1, subscribe = [Rare])]
    fn rare(_: rare::Context, _: Rare) {}
}

/// Not the application's module.
mod elsewhere {
    use crate::app::{self, Eat, Pause};

    /// Publishes by a path.
    pub fn tell() {
        app::publish(Eat(6));
        app::publish(Pause);
    }
}
