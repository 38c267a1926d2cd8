//! The smallest actor: two events, one of which comes periodically, and an LED.
#![no_std]
#![no_main]

quintet::systick_timer!(Clock, 12_000_000);

// begin: application
#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use quintet::actor::TimeEvent;
    use quintet::time::Duration;
    use semihosting::println;

    use super::Clock;

    /// What the actor is told.
    #[derive(Clone)]
    pub enum Event {
        /// Switch the LED on or off.
        Toggle,
        /// Blink no more.
        Stop,
    }

    static TOGGLE: TimeEvent<Event> = TimeEvent::new(blinky::handle(), Event::Toggle);

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        TOGGLE.arm_periodic(Duration::from_millis(500));
        (Shared {}, Local {})
    }

    #[actor(priority = 1, queue = 4, local = [is_on: bool = false, count: u8 = 0])]
    fn blinky(cx: blinky::Context, event: Event) {
        match event {
            Event::Toggle => {
                *cx.local.is_on = !*cx.local.is_on;
                *cx.local.count += 1;
                println!("LED {}", if *cx.local.is_on { "on" } else { "off" });
                if *cx.local.count == 6 {
                    // To itself: the next event that it takes.
                    blinky::post(Event::Stop);
                }
            }
            Event::Stop => {
                println!("stopped, the time event was armed: {}", TOGGLE.disarm());
                semihosting::process::exit(0)
            }
        }
    }
}
// end: application
