//! What is published to a topic that nobody lists is dropped, with a warning where the application
//! calls `publish`, and without one elsewhere.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    pub struct Pause;
    pub struct Eat;

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        publish(Eat);
        publish(Pause);
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4, subscribe = [Eat])]
    fn table(_: table::Context, _: Eat) {
        helper();
    }

    fn helper() {
        #[allow(deprecated)]
        publish(Pause);
    }

    pub fn by_a_path() {
        self::publish(Pause);
        crate::elsewhere();
    }
}

fn elsewhere() {
    app::publish(app::Pause);
    app::by_a_path();
}
