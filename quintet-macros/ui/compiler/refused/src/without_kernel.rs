//! Threads, but neither an application nor the macro `kernel!`: only the linker sees that.

#![no_std]
#![no_main]

use lm3s6965 as _;
use panic_halt as _;
use quintet::thread::CurrentThread;

quintet::thread!(static LAMP, priority = 2, stack = 1024, entry = run);

fn run(_: &CurrentThread<'_>) {}

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    let _ = LAMP.start();
    loop {}
}
