//! Where no actor lists a topic, what is published is dropped with a warning, wherever that is. Other
//! functions of the name are not in the way.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    pub struct Eat;

    macro_rules! tell {
        ($topic:expr) => {
            publish($topic)
        };
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        publish(Eat);
        tell!(Eat);
        crate::elsewhere();
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4)]
    fn table(_: table::Context, _: Eat) {}
}

fn elsewhere() {
    app::publish(app::Eat);
}
