//! The application: an LED that blinks, a button, and a line on the serial port for each press.
#![no_std]
#![no_main]

use quintet::time::NrfTimer0;
use {defmt_rtt as _, panic_probe as _};

// The clock of the application: embassy-time's `Timer` and `Ticker` wait by it.
quintet::timer_source!(Clock, NrfTimer0, interrupt = TIMER0);

// What stands before each message: microseconds since the start.
defmt::timestamp!("{=u64:us}", embassy_time::Instant::now().as_micros());

#[quintet::app(device = nrf_pac, peripherals = false, dispatchers = [EGU0_SWI0, EGU1_SWI1])]
mod app {
    use core::fmt::Write;

    use defmt::{info, warn};
    use embassy_time::{Duration, Instant, Ticker};
    use quintet::sync::Channel;

    use nrf52840_dk::board::{self, Button, Led, Serial};
    use nrf52840_dk::is_on;

    use super::Clock;

    /// When the button was pressed: from the interrupt to the task `report`.
    static PRESSES: Channel<Instant, 4> = Channel::new();

    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        button: Button,
        led: Led,
        serial: Serial,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        board::start();
        // SAFETY: nothing else uses TIMER0, and this runs once.
        unsafe { Clock::start() };
        info!("started");
        // Nobody has spawned them before.
        blink::spawn().ok();
        report::spawn().ok();
        let (button, led, serial) = (Button::take(), Led::take(), Serial::take());
        (
            Shared {},
            Local {
                button,
                led,
                serial,
            },
        )
    }

    /// Switches the LED twice a second.
    #[task(priority = 2, local = [led])]
    async fn blink(cx: blink::Context) {
        let mut ticker = Ticker::every(Duration::from_millis(500));
        let mut beat = 0;
        loop {
            cx.local.led.set(is_on(beat));
            info!("beat {}", beat);
            beat += 1;
            ticker.next().await;
        }
    }

    /// The interrupt of the button.
    #[task(binds = GPIOTE, priority = 3, local = [button])]
    fn press(cx: press::Context) {
        cx.local.button.clear();
        if PRESSES.try_send(Instant::now()).is_err() {
            warn!("presses come faster than the serial port tells of them");
        }
    }

    /// Tells of each press. Its priority is the lowest, as it waits for the port byte by byte.
    #[task(priority = 1, local = [serial])]
    async fn report(cx: report::Context) {
        let mut count: u32 = 0;
        loop {
            let at = PRESSES.receive().await;
            count += 1;
            info!("press {} at {} ms", count, at.as_millis());
            // The port takes everything.
            writeln!(cx.local.serial, "press {count}").ok();
        }
    }
}
