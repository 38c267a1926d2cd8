//! T01: arguments have their kinds of values.

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

    #[thread(priority = HIGH, stack = 1 +)]
    fn worker(_: worker::Context) {}

    #[thread(priority = 3, stack = 1024, name = reader, slice_us = 0)]
    fn reader(_: reader::Context) {}

    #[thread(priority = 256, stack = 1024)]
    fn high(_: high::Context) {}

    #[thread(priority = -1, stack = 1024)]
    fn low(_: low::Context) {}

    #[thread(priority = 3, stack = 1024, slice_us = 5_000_000_000, manual = 1)]
    fn writer(_: writer::Context) {}
}
