//! R13: an image has one application.

#![no_std]
#![no_main]

use panic_halt as _;

#[quintet::app(device = lm3s6965)]
mod first {
    #[init]
    fn init(_: init::Context) {}
}

#[quintet::app(device = lm3s6965)]
mod second {
    #[init]
    fn init(_: init::Context) {}
}
