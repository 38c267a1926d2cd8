//! Memory faults that have nothing to do with main's stack.
#![no_std]
#![no_main]

use main_firmware as _;

#[quintet::app(device = lm3s6965)]
mod app {
    use core::mem::transmute;

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    /// Goes on where nothing can be executed, with all of main's stack left.
    #[idle]
    fn idle(_: idle::Context) -> ! {
        // SAFETY: none of it is executed.
        let nowhere = unsafe { transmute::<usize, extern "C" fn() -> !>(0xe010_0001) };
        nowhere()
    }
}
