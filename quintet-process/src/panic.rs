//! The panic handler: sends an alert by low-level debug, prints the message on the console, and
//! ends the process.

use core::panic::PanicInfo;

use crate::low_level_debug::{PANIC, alert};

/// The exit code of a process that panicked.
const CODE: u32 = 101;

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    alert(PANIC);
    crate::println!("{info}");
    crate::exit(CODE)
}
