//! R31: an argument whose lifetime the task leaves open is kept for as long as the task likes.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [UART0, UART1])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn below(_: below::Context) {
        let mut word = 1;
        let _ = above::spawn(&mut word);
    }

    #[task(priority = 2)]
    async fn above(_: above::Context, word: &mut u32) {
        *word += 1;
    }
}
