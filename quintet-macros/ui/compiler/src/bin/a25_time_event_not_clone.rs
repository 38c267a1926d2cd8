//! A25: a time event posts a copy of its event, so the event is `Clone`.

#![no_std]
#![no_main]

use panic_halt as _;
use quintet::actor::TimeEvent;

pub struct Tick;

static TICK: TimeEvent<Tick> = TimeEvent::new(app::table::handle(), Tick);

quintet::systick_timer!(Clock, 12_000_000);

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    use quintet::time::Duration;

    use super::{Clock, TICK, Tick};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        TICK.arm(Duration::from_millis(3));
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4)]
    fn table(_: table::Context, _: Tick) {
        TICK.disarm();
    }
}
