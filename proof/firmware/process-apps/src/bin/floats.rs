//! Floats, in several ways.
#![no_std]
#![no_main]

/// What it does. The test writes it.
#[unsafe(no_mangle)]
static WHAT: u32 = 0;

#[unsafe(no_mangle)]
extern "C" fn main() {
    // SAFETY: it lives.
    process_apps::floats::run(unsafe { (&raw const WHAT).read_volatile() }, 1);
}
