//! A logger of defmt that writes each byte to one address: the data register of a UART, or a port
//! of the ITM.
#![no_std]

use core::cell::RefCell;
use core::sync::atomic::{AtomicUsize, Ordering};
use critical_section::{Mutex, RestoreState};

static REGISTER: AtomicUsize = AtomicUsize::new(0);

static STATE: Mutex<RefCell<(defmt::Encoder, Option<RestoreState>)>> =
    Mutex::new(RefCell::new((defmt::Encoder::new(), None)));

/// Where bytes go from now on.
///
/// # Safety
///
/// There must be a register of a byte that may be written at any time.
pub unsafe fn log_to(register: usize) {
    REGISTER.store(register, Ordering::Relaxed);
}

/// Writes text to the same register.
pub fn write(bytes: &[u8]) {
    let register = REGISTER.load(Ordering::Relaxed) as *mut u8;
    for byte in bytes {
        // SAFETY: `log_to` was told that it may be written.
        unsafe { register.write_volatile(*byte) };
        cortex_m::asm::delay(5_000);
    }
}

#[defmt::global_logger]
struct Logger;

fn encode(step: impl FnOnce(&mut defmt::Encoder)) {
    critical_section::with(|token| step(&mut STATE.borrow_ref_mut(token).0));
}

// SAFETY: between `acquire` and `release` interrupts are off, so that nobody else logs.
unsafe impl defmt::Logger for Logger {
    fn acquire() {
        // SAFETY: released in `release`.
        let restore = unsafe { critical_section::acquire() };
        critical_section::with(|token| STATE.borrow_ref_mut(token).1 = Some(restore));
        encode(|encoder| encoder.start_frame(write));
    }

    unsafe fn flush() {}

    unsafe fn release() {
        encode(|encoder| encoder.end_frame(write));
        let restore = critical_section::with(|token| STATE.borrow_ref_mut(token).1.take());
        if let Some(restore) = restore {
            // SAFETY: acquired in `acquire`.
            unsafe { critical_section::release(restore) };
        }
    }

    unsafe fn write(bytes: &[u8]) {
        encode(|encoder| encoder.write(bytes, write));
    }
}
