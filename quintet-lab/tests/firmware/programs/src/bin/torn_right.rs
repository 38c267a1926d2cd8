//! Adds to a shared counter under a lock.
#![no_std]
#![no_main]

#[path = "../interrupted.rs"]
mod interrupted;
#[path = "../torn.rs"]
mod torn;

#[cortex_m_rt::entry]
fn main() -> ! {
    torn::run(true)
}
