//! A refused application whose parts are used from everywhere: only the refusal is reported.

#![no_std]
#![no_main]
#![deny(warnings, missing_docs)]

pub mod bodies {
    //! Bodies of tasks, and what they share.

    use crate::app::shared_resources::total_that_needs_to_be_locked;
    use crate::app::{Frame, Shared, blink, log, receive, work};

    /// A hardware task.
    pub fn receive(mut cx: receive::Context<'_>) {
        let count = cx.shared.total.lock(|total: &mut u32| *total + 1);
        add(&mut cx.shared.total, count);
        *cx.local.received += 1;
        if let Err((frame, count)) = log::spawn(Frame(1), count) {
            log::spawn(frame, count).unwrap_or_default();
        }
        work::start(1).expect("it doesn't run");
        work::handle().stop();
        blink::waker().wake_by_ref();
    }

    /// An async task.
    pub async fn log(cx: log::Context<'_>, frame: Frame, count: u32) {
        cx.shared.total.access().await.push(frame.0, count);
        cx.local_spawner.blink().ok();
        spawn(&cx.local_spawner);
    }

    /// What spawns by a context of others.
    pub fn spawn(spawner: &blink::LocalSpawner) {
        spawner.blink().ok();
    }

    /// A helper.
    pub fn add(total: &mut total_that_needs_to_be_locked, by: u32) {
        (total,).lock(|total| *total += by);
    }

    /// What looks at the struct.
    pub fn total(shared: &Shared) -> u32 {
        shared.total
    }
}

#[quintet::app(device = lm3s6965)]
mod app {
    #![warn(clippy::pedantic)]
    use panic_halt as _;

    use crate::bodies::{log, receive};

    /// What is logged.
    pub struct Frame(pub u8);

    #[shared]
    #[derive(Default)]
    pub struct Shared {
        #[unsafe(link_section = ".noinit")]
        pub total: u32,
    }

    #[local]
    pub struct Local {
        received: u32,
    }

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        again();
        (Shared { total: 0 }, Local { received: 0 })
    }

    /// What spawns.
    pub fn again() {
        blink::spawn().ok();
    }

    extern "Rust" {
        #[task(binds = UART0, shared = [total], local = [received])]
        fn receive(cx: receive::Context);

        #[task(priority = 2, shared = [total])]
        async fn log(cx: log::Context, frame: Frame, count: u32);
    }

    #[task(priority = 1, local_task)]
    async fn blink(_: blink::Context) {}

    #[thread(priority = 1, stack = 512)]
    fn work(_: work::Context, _: u32) {}
}
