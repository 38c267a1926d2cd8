//! Interrupts with a vector table of their own: 3 is enabled and has a handler, 4 has one and is
//! not enabled, 5 is enabled and has none. The handler of 3 prints.
#![no_std]
#![no_main]

#[path = "../interrupted.rs"]
mod interrupted;

use cortex_m::peripheral::{NVIC, SCB};
use interrupted::{end, in_window};

type Handler = unsafe extern "C" fn();

/// As the architecture aligns tables of up to 32 exceptions.
#[repr(C, align(128))]
struct Vectors([Handler; 32]);

static VECTORS: Vectors = {
    let mut vectors: [Handler; 32] = [nobody; 32];
    vectors[16 + 3] = third;
    vectors[16 + 4] = fourth;
    Vectors(vectors)
};

#[unsafe(no_mangle)]
#[expect(clippy::empty_loop, reason = "a branch to itself is how default handlers are told")]
unsafe extern "C" fn nobody() {
    loop {}
}

#[unsafe(no_mangle)]
unsafe extern "C" fn third() {
    semihosting::println!("third");
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fourth() {
    semihosting::println!("fourth");
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: the table has a handler for every exception that can happen, and both interrupts may.
    unsafe {
        (*SCB::PTR).vtor.write(&raw const VECTORS as u32);
        (*NVIC::PTR).iser[0].write(1 << 3 | 1 << 5);
    }
    in_window(|| cortex_m::asm::delay(4));
    semihosting::println!("done");
    end(true)
}
