//! A lock that restores what was before.
#![no_std]
#![no_main]

#[path = "../interrupted.rs"]
mod interrupted;
#[path = "../lock.rs"]
mod lock;

#[cortex_m_rt::entry]
fn main() -> ! {
    lock::run(true)
}
