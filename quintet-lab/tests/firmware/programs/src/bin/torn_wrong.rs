//! Adds to a shared counter without a lock: an interrupt between load and store is lost.
#![no_std]
#![no_main]

#[path = "../interrupted.rs"]
mod interrupted;
#[path = "../torn.rs"]
mod torn;

#[cortex_m_rt::entry]
fn main() -> ! {
    torn::run(false)
}
