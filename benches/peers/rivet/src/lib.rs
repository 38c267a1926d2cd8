//! The board for Rivet: what its packages for boards define, over the registers that all systems of
//! the tables share.
//!
//! The clock is SysTick at Rivet's usual 1000 Hz.

#![no_std]

use cortex_m_rt::exception;
use quintet_bench_common::exit;
use rivet_arch_cortex_m::systick;

const CLOCK_HZ: u32 = 8_000_000;

/// Where the kernel places the tasks' stacks: a power of two, and a multiple of it.
#[repr(C, align(2048))]
pub struct Stacks(core::cell::UnsafeCell<[u8; 2048]>);

// SAFETY: the kernel hands out parts of it, each once.
unsafe impl Sync for Stacks {}

#[unsafe(no_mangle)]
static STACKS: Stacks = Stacks(core::cell::UnsafeCell::new([0; 2048]));

core::arch::global_asm!(
    ".global __task_stacks_start",
    ".set __task_stacks_start, STACKS",
    ".global __task_stacks_end",
    ".set __task_stacks_end, STACKS + 2048",
    // There is no async task.
    ".global __rivet_tasks_start",
    ".set __rivet_tasks_start, STACKS",
    ".global __rivet_tasks_end",
    ".set __rivet_tasks_end, STACKS",
);

#[unsafe(no_mangle)]
extern "Rust" fn __rivet_board_init() {}

#[unsafe(no_mangle)]
extern "Rust" fn __rivet_board_now_us() -> u64 {
    systick::now_micros()
}

#[unsafe(no_mangle)]
extern "Rust" fn __rivet_board_tick_start(hz: u32) {
    systick::init(CLOCK_HZ / hz, 1_000_000 / hz);
}

#[unsafe(no_mangle)]
extern "Rust" fn __rivet_board_console_write(_: *const u8, _: usize) {}

#[unsafe(no_mangle)]
extern "Rust" fn __rivet_board_console_kick_tx() {}

#[unsafe(no_mangle)]
extern "Rust" fn __rivet_board_reset() -> ! {
    exit(108)
}

#[unsafe(no_mangle)]
extern "Rust" fn __rivet_board_exit(code: u32) -> ! {
    exit(code)
}

#[unsafe(no_mangle)]
extern "Rust" fn __rivet_board_wdt_init(_: u32) {}

#[unsafe(no_mangle)]
extern "Rust" fn __rivet_board_wdt_feed() {}

#[unsafe(no_mangle)]
extern "Rust" fn __rivet_board_wdt_check() {}

#[exception]
fn SysTick() {
    systick::handler();
}

unsafe extern "C" {
    fn rivet_svc_handler();
}

/// The handler of the architecture's package has another name than the vector.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn SVCall() {
    core::arch::naked_asm!("b {handler}", handler = sym rivet_svc_handler);
}
