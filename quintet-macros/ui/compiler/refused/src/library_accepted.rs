//! Arguments of a program without an application, in any order and with a comma behind.

#![no_std]
#![no_main]
#![deny(warnings)]

use panic_halt as _;
use quintet::thread::CurrentThread;

/// Has a name that the macro has a use for, too.
const PRIORITY: u8 = 0x10;

quintet::kernel!(stack_guard = false, hardware_priority = PRIORITY + 0x10,);

quintet::thread!(
    /// With attributes.
    pub static LAMP,
    entry = other::run,
    stack = 2 * 512,
    priority = 2,
);

quintet::thread!(static BELL, stack = 512, priority = 1, entry = ring);

fn ring(_: &CurrentThread<'_>) -> ! {
    loop {}
}

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    let _ = (LAMP.start(), BELL.start());
    loop {}
}

mod other {
    pub fn run(_: &super::CurrentThread<'_>) {}
}
