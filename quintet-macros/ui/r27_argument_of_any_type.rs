//! R27: `impl Trait` in an argument is a parameter for a type, also where it is a part of one.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    #[shared]
    struct Shared {
        callback: impl Fn(),
        callbacks: [Option<impl Fn()>; 2],
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { callback: || {}, callbacks: [None, None] }, Local {})
    }

    #[task(priority = 2)]
    async fn whole(_: whole::Context, value: impl Into<u32> + Send) {
        let _ = value.into();
    }

    #[task(priority = 2)]
    fn part(_: part::Context, number: u8, value: Option<(u8, impl Into<u32>)>) {
        let _ = (number, value);
    }

    #[thread(priority = 1, stack = 512, local = [kept: Option<impl Fn()> = None])]
    fn work(_: work::Context, value: &impl Into<u32>) {
        let _ = value;
    }

    extern "Rust" {
        #[task(priority = 2)]
        async fn elsewhere(_: elsewhere::Context, value: impl Into<u32>);
    }
}
