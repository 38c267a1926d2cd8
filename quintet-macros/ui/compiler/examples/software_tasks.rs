//! Software tasks of every kind: `async` and plain, with queues, handles and local spawners.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;

#[quintet::app(device = lm3s6965, dispatchers = [#[inline(never)] SSI0, #[inline(never)] QEI0])]
mod app {
    #[shared]
    struct Shared {
        #[lock_free]
        list: [u32; 2],
        count: u32,
        read: u32,
    }

    #[local]
    struct Local {
        own: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        let _ = once::spawn();
        let _ = forever::spawn(1);
        let _ = plain::spawn((0, 1), 2);
        let _ = queued::spawn(3);
        let _ = several::spawn(4, 5);
        let _ = borrows::spawn(&6, b"78".iter());
        let _ = borrows_plainly::spawn(&(&9, 10));
        (Shared { list: [0; 2], count: 0, read: 1 }, Local { own: 0 })
    }

    #[task]
    async fn once(_: once::Context) {
        once::waker().wake();
    }

    #[task(priority = 1, local = [own])]
    async fn forever(cx: forever::Context, start: u32) -> ! {
        let own: &'static mut u32 = cx.local.own;
        *own = start;
        core::future::pending().await
    }

    /// As in RTIC: everything lives forever but what it locks by.
    #[task(priority = 1, shared = [count, &read], local = [runs: u32 = 0])]
    async fn forever_with_a_proxy(mut cx: forever_with_a_proxy::Context<'static>) -> ! {
        let (runs, read): (&'static mut u32, &'static u32) = (cx.local.runs, cx.shared.read);
        loop {
            *runs += read;
            cx.shared.count.lock(|count| *count += *runs);
            core::future::pending::<()>().await;
        }
    }

    #[task(priority = 1, shared = [list, count])]
    fn plain(mut cx: plain::Context, (x, y): (u8, u8), mut z: u32) {
        z += u32::from(x) + u32::from(y);
        cx.shared.list[0] += z;
        cx.shared.count.lock(|count| *count += z);
    }

    #[task(priority = 1, capacity = 4, shared = [list])]
    fn queued(cx: queued::Context, value: u32) {
        cx.shared.list[1] += value;
    }

    #[task(priority = 2, capacity = 4, shared = [count])]
    async fn several(mut cx: several::Context, a: u32, b: u32) {
        cx.shared.count.lock(|count| *count += a + b);
    }

    /// What a spawned task borrows lives for ever, so nobody has to say so.
    #[task(priority = 2)]
    async fn borrows(_: borrows::Context, word: &u32, bytes: core::slice::Iter<'_, u8>) {
        core::future::ready(word).await;
        let (_, _): (&'static u32, core::slice::Iter<'static, u8>) = (word, bytes);
    }

    #[task(priority = 2)]
    fn borrows_plainly(_: borrows_plainly::Context, pair: &(&u32, u32)) {
        let _: &'static (&'static u32, u32) = pair;
    }

    #[task(priority = 2, joinable)]
    async fn joined(_: joined::Context, _value: u32) {}

    #[task(priority = 2, local_task)]
    async fn near(_: near::Context, pointer: *const u32) {
        core::future::ready(pointer).await;
    }

    // Each task of the priority names what spawns it.
    fn spawn_near(spawner: &near::LocalSpawner) {
        let same: &control::LocalSpawner = spawner;
        let _ = same.near(core::ptr::null());
    }

    #[task(priority = 2)]
    async fn control(cx: control::Context) {
        spawn_near(&cx.local_spawner);
        if let Ok(handle) = joined::spawn(1) {
            handle.abort();
        }
    }
}
