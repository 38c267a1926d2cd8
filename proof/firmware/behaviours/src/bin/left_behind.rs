//! A program that ran before has left a mask raised, and the processor aligns no frame to 8 bytes,
//! as a Cortex-M3 before r2p0 doesn't unless it is told to. Threads run, and handlers' stacks begin
//! at multiples of 8 all the same.
#![no_std]
#![no_main]

use core::arch::{asm, naked_asm};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x40);
quintet::thread!(static ONLY, priority = 1, stack = 512, entry = only);

const ALIGN_STACK: u32 = 1 << 9;

static HAS_RUN: AtomicBool = AtomicBool::new(false);
/// The stack pointer of the handler.
static SEEN: AtomicU32 = AtomicU32::new(0);

fn only(_: &CurrentThread<'_>) {
    HAS_RUN.store(true, Ordering::Relaxed);
}

/// Notes its stack pointer.
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn SysTick() {
    naked_asm!(
        "movw r0, #:lower16:{seen}",
        "movt r0, #:upper16:{seen}",
        "str sp, [r0]",
        "bx lr",
        seen = sym SEEN,
    )
}

/// Interrupts a stack that is no multiple of 8.
#[unsafe(naked)]
extern "C" fn interrupt_odd_stack() {
    naked_asm!(
        "push {{lr}}",
        "ldr r0, =0xe000ed04",
        "mov r1, #0x04000000", // SysTick is pending
        "str r1, [r0]",
        "dsb",
        "isb",
        "pop {{pc}}",
    )
}

#[entry]
fn main() -> ! {
    let core = cortex_m::Peripherals::take().expect("once");
    // SAFETY: what a program may find; then nothing of the kernel was used before.
    unsafe {
        core.SCB.ccr.modify(|value| value & !ALIGN_STACK);
        asm!("msr BASEPRI, {}", in(reg) 0x20);
        quintet::thread::initialise();
    }
    ONLY.start().expect("it is started once");
    hprintln!("the thread has run: {}", HAS_RUN.load(Ordering::Relaxed));
    interrupt_odd_stack();
    let seen = SEEN.load(Ordering::Relaxed);
    hprintln!("a handler ran: {}, with an odd stack: {}", seen != 0, !seen.is_multiple_of(8));
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}
