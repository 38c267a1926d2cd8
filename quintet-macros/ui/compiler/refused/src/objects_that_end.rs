//! What the kernel points to for longer than a guard or a block is there must not move or end.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    use quintet::sync::{CeilingMutex, InheritanceMutex, Pool, ThreadFlags};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    // What `init` is lent is there for ever.
    #[init(local = [kept: Pool<u32, 2> = Pool::new()])]
    fn init(cx: init::Context) -> (Shared, Local) {
        let _ = cx.local.kept.try_alloc(0);
        (Shared {}, Local {})
    }

    #[thread(priority = 1, stack = 512)]
    fn worker(cx: worker::Context) {
        let this = &cx.thread;
        // Who waits for this one borrows it.
        let inherits = InheritanceMutex::new(0);
        let _ = inherits.try_lock(this).map(|guard| core::mem::forget(guard));
        let mutex = CeilingMutex::new(3, 0);
        core::mem::forget(mutex.try_lock(this));
        let recursive = CeilingMutex::recursive(3, ());
        drop(recursive.lock().block(this));
        let pool = Pool::<u32, 2>::new();
        drop(pool.try_alloc(1));
        let waited = Pool::<u32, 2>::new();
        drop(waited.alloc(1));
        let flags = ThreadFlags::new();
        core::mem::forget(flags.own(this));
    }
}
