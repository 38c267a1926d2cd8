//! What a panic does: an alert by low-level debug, its message on the console, and the end of the
//! process.

use core::panic::PanicInfo;

use crate::low_level_debug::{PANIC, alert};

/// The code that a process ends with.
const CODE: u32 = 101;

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    alert(PANIC);
    crate::println!("{info}");
    crate::exit(CODE)
}
