//! A service for others, by a number that the test writes into its flash.
#![no_std]
#![no_main]

/// What it does. The test writes it.
#[unsafe(no_mangle)]
static WHAT: u32 = 0;

#[unsafe(no_mangle)]
extern "C" fn main() {
    // SAFETY: it lives.
    process_apps::peers::service(unsafe { (&raw const WHAT).read_volatile() });
}
