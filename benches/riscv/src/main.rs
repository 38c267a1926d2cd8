//! What a RISC-V core's own mechanisms cost, each between two marks: `NAME_before`, `NAME_after`.
//!
//! `rows.toml` has the rows. The linker gets the board's addresses from the tool. Everything runs
//! three times, so that the last time finds its code in the caches.

#![no_std]
#![no_main]

core::arch::global_asm!(include_str!("hardware.s"), options(raw));

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
