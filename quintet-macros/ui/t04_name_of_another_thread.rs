//! T04: messages and the lab tell threads apart by their names.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    #[thread(priority = 1, stack = 512, name = "worker")]
    fn first(_: first::Context) {}

    #[thread(priority = 2, stack = 512, name = "worker")]
    fn second(_: second::Context) {}

    #[thread(priority = 3, stack = 512, name = "fourth")]
    fn third(_: third::Context) {}

    #[thread(priority = 4, stack = 512)]
    fn fourth(_: fourth::Context) {}

    #[thread(priority = 5, stack = 512, name = "other", manual)]
    fn fifth(_: fifth::Context) {}

    #[cfg(feature = "extra")]
    #[thread(priority = 6, stack = 512, name = "fifth")]
    fn sixth(_: sixth::Context) {}
}
