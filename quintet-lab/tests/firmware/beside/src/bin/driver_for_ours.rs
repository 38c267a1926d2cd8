//! A driver of a hardware abstraction layer, and a delay of Quintet's.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [GPIOA])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        waits::spawn().ok();
        (Shared {}, Local {})
    }

    #[task(priority = 1)]
    async fn waits(_: waits::Context) {
        quintet::time::delay(quintet::time::Duration::from_millis(1)).await;
        semihosting::println!("waited");
        semihosting::process::exit(0)
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        loop {
            hal::tick();
        }
    }
}
