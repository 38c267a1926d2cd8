//! Channels, signals and semaphores: how tasks wait for each other, whatever their priorities. An
//! interrupt's task can't wait; it uses what begins with `try_`.
#![no_std]
#![no_main]

use quintet::sync::{Channel, Semaphore, Signal};

// begin: objects
/// Readings, from the interrupt to the filter; at most four wait.
static READINGS: Channel<u16, 4> = Channel::new();
/// The last mean; an older one that nobody has seen is replaced.
static MEAN: Signal<u16> = Signal::new();
/// A permit for each use of the printer.
static PRINTER: Semaphore = Semaphore::binary(true);
// end: objects

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use lm3s6965::Interrupt;
    use semihosting::println;

    use super::{MEAN, PRINTER, READINGS};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        assert!(filter::spawn().is_ok() && display::spawn().is_ok());
        (Shared {}, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        for _ in 0..6 {
            // In place of the converter, which takes a while for each reading.
            quintet::pend(Interrupt::ADC0_SEQUENCE_0);
            cortex_m::asm::delay(1000);
        }
        println!("idle: the end");
        semihosting::process::exit(0)
    }

    // begin: interrupt
    #[task(binds = ADC0_SEQUENCE_0, priority = 3, local = [next: u16 = 0])]
    fn converted(cx: converted::Context) {
        *cx.local.next += 100;
        if let Err(error) = READINGS.try_send(*cx.local.next) {
            println!("converted: {error:?}");
        }
    }
    // end: interrupt

    // begin: filter
    #[task(priority = 2)]
    async fn filter(_: filter::Context) {
        loop {
            let (first, second) = (READINGS.receive().await, READINGS.receive().await);
            MEAN.signal((first + second) / 2);
        }
    }
    // end: filter

    #[task(priority = 1)]
    async fn display(_: display::Context) {
        loop {
            let mean = MEAN.wait().await;
            let _permit = PRINTER.acquire().await;
            println!("display: {mean}");
        }
    }
}
