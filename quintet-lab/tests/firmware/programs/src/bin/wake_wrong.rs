//! Looks for an event and then sleeps: an interrupt in between is lost.
#![no_std]
#![no_main]

#[path = "../interrupted.rs"]
mod interrupted;
#[path = "../wake.rs"]
mod wake;

#[cortex_m_rt::entry]
fn main() -> ! {
    wake::run(false)
}
