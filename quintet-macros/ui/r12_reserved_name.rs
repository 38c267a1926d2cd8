//! R12: what is generated has names of its own, which the application can't say: who can make a
//! `local_spawner` could hand what isn't `Send` to another priority.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965, dispatchers = [UART0])]
mod app {
    use core::cell::Cell;
    use core::marker::PhantomData;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {
        kept: Option<&'static Cell<u32>>,
    }

    #[init(local = [place: Cell<u32> = Cell::new(0)])]
    fn init(cx: init::Context) -> (Shared, Local) {
        (Shared {}, Local { kept: Some(cx.local.place) })
    }

    #[idle(local = [kept])]
    fn idle(cx: idle::Context) -> ! {
        let spawner = __quintet_LocalSpawner_1 { context: PhantomData };
        if let Some(kept) = cx.local.kept.take() {
            let _ = spawner.change(kept);
            let _ = r#__quintet_change_spawn(kept);
            loop {
                kept.set(kept.get() + 1);
            }
        }
        loop {}
    }

    #[task(priority = 1, local_task)]
    async fn change(_: change::Context, shared: &'static Cell<u32>) {
        shared.set(0);
    }
}
