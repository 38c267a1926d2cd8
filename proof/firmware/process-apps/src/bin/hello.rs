//! Greets, and ends with a code.
#![no_std]
#![no_main]

use process_apps::{exit, print};

#[unsafe(no_mangle)]
extern "C" fn main() {
    print("Hello from a process\n");
    print("and once more\n");
    exit(7);
}
