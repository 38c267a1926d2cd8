//! An Embassy driver in a Quintet task: random bytes from the nRF51's generator, awaited.
//!
//! The driver is `embassy_nrf::rng`, unchanged. Its interrupt is bound as in any Embassy
//! application; it runs at the hardware's highest priority, stores a byte, and wakes whoever waits
//! through a `core::task::Waker`, which here makes a Quintet task ready. While the driver waits,
//! the processor is free for less urgent tasks.
#![no_std]
#![no_main]

use semihosting as _;

#[quintet::app(device = embassy_nrf, peripherals = false, dispatchers = [SWI0, SWI1])]
mod app {
    use embassy_nrf::{Peri, bind_interrupts, peripherals, rng};
    use semihosting::println;

    // begin: bind
    bind_interrupts!(struct Interrupts {
        RNG => rng::InterruptHandler<peripherals::RNG>;
    });
    // end: bind

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let chip = embassy_nrf::init(embassy_nrf::config::Config::default());
        // Neither has been spawned before.
        let _ = draw::spawn(chip.RNG);
        let _ = background::spawn();
        (Shared {}, Local {})
    }

    // begin: draw
    #[task(priority = 2)]
    async fn draw(_: draw::Context, generator: Peri<'static, peripherals::RNG>) {
        let mut generator = rng::Rng::new(generator, Interrupts);
        let mut bytes = [0; 16];
        println!("draw: waits for {} bytes", bytes.len());
        generator.fill_bytes(&mut bytes).await;
        // end: draw
        // Nobody knows them, but hardly half of them are alike.
        bytes.sort_unstable();
        let different = 1 + bytes.windows(2).filter(|pair| pair[0] != pair[1]).count();
        println!("draw: got random bytes: {}", different > bytes.len() / 2);
        semihosting::process::exit(0)
    }

    #[task(priority = 1)]
    async fn background(_: background::Context) {
        println!("background: runs while the driver waits");
    }
}
