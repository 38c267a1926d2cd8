//! T25: what is called where a level begins or ends is a path, and there are levels.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, on_level_begin = |_| (), on_level_end = off, on_level_ends = off)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[task]
    async fn background(_: background::Context) {}

    fn off(_: u8) {}
}
