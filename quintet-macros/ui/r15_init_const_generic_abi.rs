//! R15: `init` is neither `const` nor generic, and has no other ABI.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    const extern "C" fn init<T>(_: init::Context) -> (Shared, Local) {
        (Shared {}, Local {})
    }
}
