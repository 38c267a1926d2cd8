//! A thread that interrupts find with less and less room on its stack: at last the hardware's frame
//! has room, but what the switch stores below that has none. It is named by a panic before
//! anything below the stack is overwritten.
//!
//! So what is right here ends in a failure, as in `overflow`. Where the target has floating-point
//! registers, the thread uses them.
#![no_std]
#![no_main]

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::{entry, exception};
use quintet::export::threads::ThreadInfo;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::{CurrentThread, Stack, Thread};
use semihosting as _;
use shapes as _;
use shapes::registers::stay_floating;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static URGENT, priority = 2, stack = 512, entry = urgent);

/// A stack, and what lies below it.
#[repr(C)]
struct Memory {
    below: [AtomicU32; 32],
    stack: Stack<512>,
}

static MEMORY: Memory = Memory { below: [const { AtomicU32::new(0) }; 32], stack: Stack::new() };
static ABOUT: ThreadInfo = ThreadInfo {
    name: "FULL",
    stack: MEMORY.stack.lowest(),
    stack_size: MEMORY.stack.size(),
    resources: &[],
    entry: Some(full),
};
// SAFETY: it is put into this static, and the stack is nobody else's.
static FULL: Thread = unsafe { Thread::new(&raw const FULL, 1, &ABOUT) };

static TICK: Semaphore = Semaphore::binary(false);
/// How often the thread was preempted.
static ROUNDS: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn full(_: *mut ()) {
    stay_floating(1);
    for depth in (0..MEMORY.stack.size()).step_by(8) {
        // SAFETY: the stack pointer is put back. Nobody needs what is below it.
        unsafe {
            asm!(
                "mov r4, sp",
                "sub sp, sp, {depth}",
                "ldr {before}, [{rounds}]",
                "2:",
                "ldr {now}, [{rounds}]",
                "cmp {now}, {before}",
                "beq 2b",
                "mov sp, r4",
                depth = in(reg) depth,
                rounds = in(reg) ROUNDS.as_ptr(),
                before = out(reg) _,
                now = out(reg) _,
                out("r4") _,
            );
        }
    }
}

fn urgent(this: &CurrentThread<'_>) {
    loop {
        TICK.take().block(this);
        let untouched = MEMORY.below.iter().all(|word| word.load(Ordering::Relaxed) == 0);
        assert!(untouched, "what lies below the stack was overwritten");
        ROUNDS.fetch_add(1, Ordering::Relaxed);
    }
}

#[exception]
fn SysTick() {
    TICK.give();
}

#[entry]
fn main() -> ! {
    let mut core = cortex_m::Peripherals::take().expect("once");
    // SAFETY: nothing of the kernel was used before.
    unsafe {
        quintet::thread::initialise();
        core.SCB.set_priority(cortex_m::peripheral::scb::SystemHandler::SysTick, 0x40);
    }
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(2_000);
    core.SYST.enable_interrupt();
    core.SYST.enable_counter();
    URGENT.start().unwrap();
    FULL.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
