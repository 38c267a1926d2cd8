//! Two drivers of one number, which the compiler refuses.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use quintet::process::leds::Leds;

quintet::kernel!(hardware_priority = 0x20);

static LEDS: Leds<4> = Leds::new(|_, _| {});
static OTHERS: Leds<2> = Leds::new(|_, _| {});

quintet::processes!(
    static PROCESSES,
    count = 1,
    priority = 1,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&LEDS, &OTHERS],
);

#[cortex_m_rt::entry]
fn main() -> ! {
    loop {}
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
