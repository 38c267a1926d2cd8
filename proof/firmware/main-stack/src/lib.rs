//! What the programs share: a stack that overflows, and a panic that is told.
#![no_std]

mod each_ceiling;

use core::hint::black_box;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::SCB;
use semihosting::{println, process};

/// Takes so many frames of some 150 bytes of the stack.
#[inline(never)]
fn deep(number: u32) -> u32 {
    let mut words = [number; 32];
    black_box(&mut words);
    if number == 0 { words[3] } else { deep(number - 1) + words[5] }
}

/// Calls that overflow a stack of 64 KiB.
const TOO_DEEP: u32 = 1000;

/// The statics above which main's stack lies.
static STATICS: [AtomicU32; 64] = [const { AtomicU32::new(7) }; 64];

/// Overflows the stack; says what has become of the statics where nothing has stopped it.
pub fn overflow() -> ! {
    deep(black_box(TOO_DEEP));
    let changed = STATICS.iter().filter(|word| word.load(Ordering::Relaxed) != 7).count();
    println!("{} of the statics changed", changed);
    process::exit(0)
}

#[panic_handler]
fn panic(information: &PanicInfo<'_>) -> ! {
    // It is the exception MemoryManagement that has panicked.
    // SAFETY: reading the register has no effect.
    let handled = unsafe { (*SCB::PTR).icsr.read() } & 0x1ff == 4;
    // As most that print what a panic says.
    #[cfg(feature = "sections")]
    critical_section::with(|_| println!("{}", information.message()));
    #[cfg(not(feature = "sections"))]
    println!("{}", information.message());
    process::exit(if handled { 3 } else { 4 })
}
