//! The application: an LED that blinks, a button, and a line on the serial port for each press.
#![no_std]
#![no_main]

use {defmt_rtt as _, panic_probe as _};

// The clock of the application: embassy-time's `Timer` and `Ticker` wait by it.
quintet::systick_timer!(Clock, 125_000_000);

// What stands before each message: microseconds since the start.
defmt::timestamp!("{=u64:us}", embassy_time::Instant::now().as_micros());

#[quintet::app(device = rp_pac, peripherals = false, dispatchers = [SWI_IRQ_0, SWI_IRQ_1])]
mod app {
    use core::fmt::Write;

    use defmt::{info, warn};
    use embassy_time::{Duration, Instant, Ticker};
    use quintet::sync::Channel;

    use pico::board::{self, Button, Led, Serial};
    use pico::is_on;

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
    fn init(cx: init::Context) -> (Shared, Local) {
        board::start();
        Clock::start(cx.core.SYST);
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
    #[task(binds = IO_IRQ_BANK0, priority = 3, local = [button])]
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
