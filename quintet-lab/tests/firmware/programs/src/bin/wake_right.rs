//! Looks for an event and sleeps with interrupts masked, so that none is lost.
#![no_std]
#![no_main]

#[path = "../interrupted.rs"]
mod interrupted;
#[path = "../wake.rs"]
mod wake;

#[cortex_m_rt::entry]
fn main() -> ! {
    wake::run(true)
}
