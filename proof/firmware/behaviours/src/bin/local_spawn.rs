//! Tasks marked `local_task` are spawned from tasks of their priority, with what isn't `Send`.
#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use semihosting as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use core::marker::PhantomData;
    use cortex_m_semihosting::{debug, hprintln};

    /// Stays in its level.
    #[derive(Debug)]
    struct Bound(u8, PhantomData<*const ()>);

    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        parent::spawn().unwrap();
        (Shared { count: 0 }, Local {})
    }

    #[idle(shared = [count])]
    fn idle(mut cx: idle::Context) -> ! {
        hprintln!("count {}", cx.shared.count.lock(|count| *count));
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    #[task(priority = 1, shared = [count])]
    async fn parent(mut cx: parent::Context<'static>) -> ! {
        let bound = Bound(3, PhantomData);
        add(&mut cx.shared.count, bound.0).await;
        cx.local_spawner.child(bound).ok().unwrap();
        let back = cx.local_spawner.plain_child(Bound(4, PhantomData));
        hprintln!("{:?}", back.is_ok());
        match cx.local_spawner.plain_child(Bound(5, PhantomData)) {
            Ok(()) => hprintln!("twice?"),
            Err(bound) => hprintln!("{} comes back", bound.0),
        }
        core::future::pending().await
    }

    /// Borrows a proxy for a while.
    async fn add(count: &mut shared_resources::count_that_needs_to_be_locked<'_>, amount: u8) {
        use quintet::Mutex;
        count.lock(|count| *count += u32::from(amount));
    }

    #[task(priority = 1, local_task)]
    async fn child(_: child::Context, bound: Bound) {
        hprintln!("child {}", bound.0);
    }

    #[task(priority = 1, local_task = true)]
    fn plain_child(cx: plain_child::Context, bound: Bound) {
        let _ = cx.local_spawner;
        hprintln!("plain child {}", bound.0);
    }
}
