//! R34: without a struct nothing can be listed.

#![no_std]
#![no_main]

#[quintet::app(device = lm3s6965)]
mod app {
    #[init]
    fn init(_: init::Context) {}

    #[task(binds = UART0, shared = [count], local = [own])]
    fn receive(_: receive::Context) {}
}
