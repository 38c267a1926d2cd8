//! The panic handler: sends an alert by low-level debug, prints the place on the console, and ends
//! the process.
//!
//! A message is printed only with the feature `panic-message`, as the code that formats messages is
//! larger than many a program.

use core::panic::PanicInfo;

use crate::low_level_debug::{PANIC, alert};

/// The exit code of a process that panicked.
const CODE: u32 = 101;

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    alert(PANIC);
    tell(info);
    crate::exit(CODE)
}

/// Prints everything.
#[cfg(feature = "panic-message")]
fn tell(info: &PanicInfo<'_>) {
    crate::println!("{info}");
}

/// Prints the place.
#[cfg(not(feature = "panic-message"))]
fn tell(info: &PanicInfo<'_>) {
    let mut writer = crate::console::Writer::new();
    let mut write = |text: &str| {
        // Without a console there is nobody to tell.
        let _lost = writer.write_text(text);
    };
    write("panicked at ");
    if let Some(place) = info.location() {
        write(place.file());
        for number in [place.line(), place.column()] {
            write(":");
            write_number(number, &mut write);
        }
    }
    write("\n");
}

/// Writes a number in decimal digits.
#[cfg(not(feature = "panic-message"))]
fn write_number(number: u32, write: &mut impl FnMut(&str)) {
    const DIGITS: &str = "0123456789";
    let mut power = 1_000_000_000;
    while power > number && power > 1 {
        power /= 10;
    }
    while power > 0 {
        let digit = (number / power % 10) as usize;
        write(DIGITS.get(digit..=digit).unwrap_or_default());
        power /= 10;
    }
}
