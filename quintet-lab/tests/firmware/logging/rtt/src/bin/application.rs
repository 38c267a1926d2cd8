//! A Quintet application that logs with defmt, from tasks of two priorities.
#![no_std]
#![no_main]

use {defmt_rtt as _, lm3s6965 as _, panic_probe as _};

#[quintet::app(device = lm3s6965, dispatchers = [GPIOA, GPIOB])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        defmt::info!("init");
        low::spawn(3).unwrap();
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn low(_: low::Context, rounds: u32) {
        for round in 0..rounds {
            high::spawn(round).unwrap();
            defmt::debug!("low, round {=u32}", round);
        }
        semihosting::process::exit(0)
    }

    #[task(priority = 2)]
    async fn high(_: high::Context, round: u32) {
        defmt::warn!("high, round {=u32}", round);
    }
}
