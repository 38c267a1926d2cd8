//! Works on the process stack and takes an exception on the main stack.
#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m::register::control::{Control, Spsel};

static mut PROCESS_STACK: [u64; 256] = [0; 256];

#[inline(never)]
fn deep(depth: u32) -> u32 {
    let local = black_box([depth; 8]);
    if depth == 0 { local[0] } else { deep(depth - 1).wrapping_add(local[1]) }
}

#[cortex_m_rt::exception]
fn SVCall() {
    black_box(deep(3));
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let top = &raw const PROCESS_STACK as usize + size_of::<[u64; 256]>();
    // SAFETY: the process stack is this array and nothing else uses it; main has no locals to lose.
    unsafe {
        cortex_m::register::psp::write(top as u32);
        let mut control: Control = cortex_m::register::control::read();
        control.set_spsel(Spsel::Psp);
        cortex_m::register::control::write(control);
    }
    black_box(deep(10));
    cortex_m::peripheral::SCB::set_pendsv();
    // SAFETY: SVCall exists and keeps the registers.
    unsafe { core::arch::asm!("svc 0") };
    semihosting::process::exit(0)
}

#[cortex_m_rt::exception]
fn PendSV() {}
