//! Every kind of section, of wake function and of entry, each in a function of its own.
//!
//! Priorities are 1 to 4; 4 is the hardware's highest, which only PRIMASK masks.
#![no_std]
#![no_main]

use semihosting as _;

#[quintet::app(device = shapes::device, peripherals = false, dispatchers = [LINE6, LINE7, LINE8])]
mod app {
    #[shared]
    struct Shared {
        alone: u32,
        nested: u32,
        topmost: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        // Each is spawned once, before anything runs.
        let _ = (first::spawn(), second::spawn(), third::spawn(), fourth::spawn());
        let _ = (fifth::spawn(), sixth::spawn(), seventh::spawn());
        let _ = (few_first::spawn(), few_second::spawn());
        let _ = only::spawn();
        let _ = (thread_first::spawn(), thread_second::spawn(), thread_third::spawn());
        let _ = (thread_fourth::spawn(), thread_fifth::spawn());
        let _ = (thread_sixth::spawn(), thread_seventh::spawn());
        (Shared { alone: 0, nested: 0, topmost: 0 }, Local {})
    }

    /// Where this locks, no section can be open.
    #[task(binds = LINE0, priority = 1, shared = [alone])]
    fn locks_alone(mut cx: locks_alone::Context) {
        cx.shared.alone.lock(|alone| *alone += 1);
    }

    /// Nobody above uses the resource.
    #[task(binds = LINE1, priority = 2, shared = [alone])]
    fn locks_at_the_ceiling(mut cx: locks_at_the_ceiling::Context) {
        cx.shared.alone.lock(|alone| *alone += 1);
    }

    /// This may hold another resource already.
    #[task(binds = LINE2, priority = 2, shared = [nested, topmost])]
    fn locks_nested(mut cx: locks_nested::Context) {
        cx.shared.nested.lock(|nested| *nested += 1);
    }

    #[task(binds = LINE3, priority = 3, shared = [nested])]
    fn uses_nested(mut cx: uses_nested::Context) {
        cx.shared.nested.lock(|nested| *nested += 1);
    }

    /// BASEPRI can't mask the highest priority.
    #[task(binds = LINE4, priority = 2, shared = [topmost])]
    fn locks_topmost(mut cx: locks_topmost::Context) {
        cx.shared.topmost.lock(|topmost| *topmost += 1);
    }

    /// Contexts, local resources and the entry itself cost nothing.
    #[task(binds = LINE5, priority = 4, local = [count: u32 = 0], shared = [topmost])]
    fn counts(cx: counts::Context) {
        *cx.local.count += 1;
    }

    #[task(priority = 1)]
    async fn first(_: first::Context) {
        wake_for_ever().await
    }

    #[task(priority = 1)]
    async fn second(_: second::Context) {
        wake_for_ever().await
    }

    #[task(priority = 1)]
    async fn third(_: third::Context) {
        wake_for_ever().await
    }

    #[task(priority = 1)]
    async fn fourth(_: fourth::Context) {
        wake_for_ever().await
    }

    #[task(priority = 1)]
    async fn fifth(_: fifth::Context) {
        wake_for_ever().await
    }

    #[task(priority = 1)]
    async fn sixth(_: sixth::Context) {
        wake_for_ever().await
    }

    #[task(priority = 1)]
    async fn seventh(_: seventh::Context) {
        wake_for_ever().await
    }

    #[task(priority = 2)]
    async fn only(_: only::Context) {
        wake_for_ever().await
    }

    #[task(priority = 3)]
    async fn few_first(_: few_first::Context) {
        wake_for_ever().await
    }

    #[task(priority = 3)]
    async fn few_second(_: few_second::Context) {
        wake_for_ever().await
    }

    #[task(priority = 0)]
    async fn thread_first(_: thread_first::Context) {
        wake_for_ever().await
    }

    #[task(priority = 0)]
    async fn thread_second(_: thread_second::Context) {
        wake_for_ever().await
    }

    #[task(priority = 0)]
    async fn thread_third(_: thread_third::Context) {
        wake_for_ever().await
    }

    #[task(priority = 0)]
    async fn thread_fourth(_: thread_fourth::Context) {
        wake_for_ever().await
    }

    #[task(priority = 0)]
    async fn thread_fifth(_: thread_fifth::Context) {
        wake_for_ever().await
    }

    #[task(priority = 0)]
    async fn thread_sixth(_: thread_sixth::Context) {
        wake_for_ever().await
    }

    #[task(priority = 0)]
    async fn thread_seventh(_: thread_seventh::Context) {
        wake_for_ever().await
    }

    /// What the compiler makes of an entry without Quintet.
    #[unsafe(no_mangle)]
    extern "C" fn bare() {
        // SAFETY: nobody else uses it.
        unsafe { COUNT += 1 };
    }

    #[used]
    static BARE: extern "C" fn() = bare;
    static mut COUNT: u32 = 0;

    /// Wakes its own task whenever it is polled, so that wakers are in use.
    async fn wake_for_ever() {
        core::future::poll_fn::<(), _>(|cx| {
            core::hint::black_box(cx.waker()).wake_by_ref();
            core::task::Poll::Pending
        })
        .await;
    }
}
