//! Where no actor lists a topic, `publish` may be something else.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    use crate::radio::publish;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        publish(1, 2);
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 1)]
    fn table(_: table::Context, (): ()) {
        publish(3, 4);
    }
}

/// Not of Quintet.
mod radio {
    /// Sends a message.
    pub fn publish(_topic: u8, _message: u8) {}
}
