//! A thread's stack overflows.
#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    use core::hint::black_box;
    use core::sync::atomic::{AtomicU32, Ordering};

    use main_firmware::{TOO_DEEP, deep};
    use semihosting::println;

    /// The statics above which main's stack lies.
    static STATICS: [AtomicU32; 64] = [const { AtomicU32::new(7) }; 64];

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }

    /// What went well, where nothing has stopped it.
    fn overflow() -> ! {
        deep(black_box(TOO_DEEP));
        let changed = STATICS.iter().filter(|word| word.load(Ordering::Relaxed) != 7).count();
        println!("{} of the statics changed", changed);
        semihosting::process::exit(0)
    }

    #[thread(priority = 1, stack = 1024)]
    fn worker(_: worker::Context) {
        overflow()
    }
}
