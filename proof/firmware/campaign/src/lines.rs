//! Interrupt lines of programs without an application.
//!
//! Every handler looks whether the main stack is a multiple of 8 where it begins: threads and idle
//! leave it so.

use core::sync::atomic::{AtomicBool, Ordering};

use cortex_m::Peripherals;
use cortex_m::peripheral::NVIC;
use lm3s6965::Interrupt;

use crate::patterns;

/// Whether handlers leave floating-point registers alone.
static LEAVES_FLOATS: AtomicBool = AtomicBool::new(false);

/// Lets handlers leave floating-point registers alone: for a program in which time is too short.
pub fn leave_floats() {
    LEAVES_FLOATS.store(true, Ordering::Relaxed);
}

/// Enables a line, at a priority byte.
pub fn enable(line: Interrupt, priority: u8) {
    // SAFETY: of the core's peripherals, nobody else uses this one.
    unsafe {
        Peripherals::steal().NVIC.set_priority(line, priority);
        NVIC::unmask(line);
    }
}

/// Enables the lines that most programs have, the last one at the kernel's ceiling.
pub fn enable_four() {
    for (line, priority) in [
        (Interrupt::GPIOA, 0xc0),
        (Interrupt::GPIOB, 0xa0),
        (Interrupt::GPIOD, 0x80),
        (Interrupt::GPIOE, 0x40),
    ] {
        enable(line, priority);
    }
}

/// A handler began with this stack pointer.
#[inline]
pub fn begin(stack_pointer: u32) {
    assert!(stack_pointer.is_multiple_of(8), "a handler's stack begins at an odd place");
}

/// Runs what a handler does: every other line with floating-point registers full of patterns, if
/// the target has some. So a handler that uses none of them comes above one that does, and PendSV
/// behind either.
#[inline(always)]
pub fn around(name: &str, body: impl FnOnce()) {
    let letter = name.as_bytes()[name.len() - 1];
    let leaves = cfg!(target_abi = "eabihf") && LEAVES_FLOATS.load(Ordering::Relaxed);
    if letter & 1 == 1 && !leaves {
        patterns::around(0x8a8a_0000 + (u32::from(letter) << 5), false, body);
    } else {
        body();
    }
}

/// Defines handlers: `handlers! { GPIOA { .. } }`.
#[macro_export]
macro_rules! handlers {
    ($($name:ident $body:block)*) => { $(
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            extern "C" fn body(stack_pointer: u32) {
                $crate::lines::begin(stack_pointer);
                $crate::lines::around(stringify!($name), || $body);
            }
            // A branch that reaches the whole memory, on every target.
            ::core::arch::naked_asm!(
                "mov r0, sp", "ldr r1, 1f", "bx r1", ".p2align 2", "1:", ".word {body}",
                body = sym body
            )
        }
    )* };
}
