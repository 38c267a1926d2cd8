//! A03: there are 1 to 32 instances, each with locals of its own.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        field: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local { field: 0 })
    }

    #[actor(queue = 4, instances = 0)]
    fn none(_: none::Context, event: u8) {}

    #[actor(queue = 4, instances = 33)]
    fn many(_: many::Context, event: u8) {}

    #[actor(queue = 4, instances = 5, local = [field, own: u32 = 0])]
    fn philo(_: philo::Context, event: u8) {}
}
