//! R17: the token of the critical section ends with `init`.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {
        token: quintet::export::CriticalSection<'static>,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        (Shared { token: cx.cs }, Local {})
    }
}
