//! T15: the proof that a thread may wait stays in it.

#![no_std]
#![no_main]

use panic_halt as _;

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

    static mut KEPT: Option<quintet::thread::CurrentThread<'static>> = None;

    #[thread(priority = 2, stack = 1024)]
    fn worker(cx: worker::Context) {
        unsafe { KEPT = Some(cx.thread) };
    }
}
