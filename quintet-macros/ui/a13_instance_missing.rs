//! A13: each call for an actor with instances says which, and no other call does.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, GPIOA])]
mod app {
    #[shared]
    struct Shared {
        count: u32,
        level: u32,
    }

    #[local]
    struct Local {
        own: u32,
        other: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        table::post(1);
        table::post(0, 1);
        let _ = (table::try_post_margin(1, 2), table::handle(), table::queue(1));
        lamp::post(0, 1);
        lamp::start(0);
        (Shared { count: 0, level: 0 }, Local { own: 0, other: 0 })
    }

    #[actor(priority = 1, queue = 4, instances = 2)]
    fn table(_: table::Context, _event: u8) {
        // Another module's.
        {
            use elsewhere::table;
            table::post(1);
        }
    }

    #[actor(queue = 4)]
    fn lamp(_: lamp::Context, _event: u8) {
        helper();
    }

    fn helper() {
        table::stop();
    }
}
