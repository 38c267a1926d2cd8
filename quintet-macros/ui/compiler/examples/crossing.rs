//! What needs neither `Send` nor `Sync`, as it stays at one priority: resources that are built in
//! `init`, which runs at the lowest, and what tasks of one priority share. And `'static` references
//! for who never ends.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use core::cell::Cell;
    use core::marker::PhantomData;

    /// Stays where it is, and may be read by one priority only.
    pub struct Bound(PhantomData<*const ()>, Cell<u32>);

    impl Bound {
        const fn new() -> Self {
            Self(PhantomData, Cell::new(0))
        }
    }

    // A struct of the user's with the names of resources.
    struct Plain {
        nobodys: u32,
        read: u32,
    }

    // The names of resources are those of tasks, too.
    #[shared]
    struct Shared {
        #[expect(dead_code, reason = "no task lists it")]
        nobodys: Bound,
        low: Bound,
        #[lock_free]
        forever: u32,
        read: Cell<u32>,
    }

    #[local]
    struct Local {
        own: Bound,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let Plain { nobodys, read } = Plain { nobodys: 0, read: 1 };
        (
            Shared {
                nobodys: Bound::new(),
                low: Bound::new(),
                forever: nobodys,
                read: Cell::new(read),
            },
            Local { own: Bound::new() },
        )
    }

    #[idle(shared = [low, forever], local = [own, bound: Bound = Bound::new()])]
    fn idle(mut cx: idle::Context) -> ! {
        let forever: &'static mut u32 = cx.shared.forever;
        let (own, bound): (&'static mut Bound, &'static mut Bound) = (cx.local.own, cx.local.bound);
        loop {
            *forever += cx.shared.low.lock(|low| low.1.get() + own.1.get() + bound.1.get());
        }
    }

    #[task(binds = UART0, shared = [&read], local = [bound: Bound = Bound::new()])]
    fn read(cx: read::Context) {
        cx.shared.read.set(cx.local.bound.1.get());
    }

    #[task(priority = 1, shared = [&read])]
    async fn low(cx: low::Context) {
        core::future::ready(()).await;
        cx.shared.read.set(cx.shared.read.get() + 1);
    }
}
