//! Writes to the kernel's memory.
#![no_std]
#![no_main]

use process_apps::print;

#[unsafe(no_mangle)]
extern "C" fn main() {
    print("about to trespass\n");
    // SAFETY: none: it must not come to anything.
    unsafe { (0x2000_0000 as *mut u32).write_volatile(0xdead) };
    print("not stopped\n");
}
