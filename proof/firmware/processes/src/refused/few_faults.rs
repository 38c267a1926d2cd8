//! A process console with places for fewer processes than there can be, which the compiler refuses.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use quintet::process::shell::Shell;

quintet::kernel!(hardware_priority = 0x20);

static SHELL: Shell<2> = Shell::new(&PROCESSES);

quintet::processes!(
    static PROCESSES,
    count = 4,
    priority = 1,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [],
);

#[cortex_m_rt::entry]
fn main() -> ! {
    SHELL.receive(b'\n');
    loop {}
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
