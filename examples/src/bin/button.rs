//! A button on pin PA2 interrupts the main loop, which reports each press and stops after the
//! third.
//!
//! Nobody presses a button in a simulation, so `button.toml` says when: `--inputs button.toml`.
#![no_std]
#![no_main]

use lm3s6965 as _;

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use semihosting::println;

/// Registers of the LM3S6965's port A (data sheet, chapter 8), and the button's bit in each.
const INTERRUPT_EVENT: *mut u32 = 0x4000_440c as *mut u32;
const INTERRUPT_MASK: *mut u32 = 0x4000_4410 as *mut u32;
const INTERRUPT_CLEAR: *mut u32 = 0x4000_441c as *mut u32;
const DIGITAL_ENABLE: *mut u32 = 0x4000_451c as *mut u32;
const BUTTON: u32 = 1 << 2;

/// Port A is the first interrupt of the chip.
#[derive(Clone, Copy)]
struct PortA;

// SAFETY: 0 is the number of port A's interrupt, which the chip has.
unsafe impl cortex_m::interrupt::InterruptNumber for PortA {
    fn number(self) -> u16 {
        0
    }
}

static PRESSES: AtomicU32 = AtomicU32::new(0);

/// Handles every interrupt; only port A's is enabled.
#[cortex_m_rt::exception]
unsafe fn DefaultHandler(_interrupt: i16) {
    // SAFETY: the register exists, and only this handler uses it.
    unsafe { INTERRUPT_CLEAR.write_volatile(BUTTON) };
    count_press();
}

/// A function of its own, so that its name can be given to `quintet measure`.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn count_press() {
    PRESSES.fetch_add(1, Ordering::Relaxed);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: the registers exist, and the interrupt that uses them too is not enabled yet.
    unsafe {
        DIGITAL_ENABLE.write_volatile(BUTTON);
        INTERRUPT_EVENT.write_volatile(BUTTON);
        INTERRUPT_MASK.write_volatile(BUTTON);
        NVIC::unmask(PortA);
    }
    let mut reported = 0;
    while reported < 3 {
        cortex_m::asm::wfi();
        let presses = PRESSES.load(Ordering::Relaxed);
        if presses != reported {
            reported = presses;
            println!("pressed, {reported} so far");
        }
    }
    println!("done");
    semihosting::process::exit(0)
}
