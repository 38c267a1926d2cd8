//! Neither struct of resources, nothing returned from `init`, no tasks.

#![no_std]
#![no_main]
#![deny(warnings, unsafe_code, missing_docs)]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod app {
    #[init]
    fn init(_: init::Context) {}
}
