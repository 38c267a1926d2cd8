//! What the programs share that are interrupted before every instruction: marks around what is to
//! be interrupted, and exceptions that come only when the tool pends them.

#![allow(dead_code, reason = "each program uses a part of it")]

use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::peripheral::scb::SystemHandler;
use cortex_m::peripheral::syst::SystClkSource;

/// How often a handler has run; each counts itself.
pub struct Runs(AtomicU32);

impl Runs {
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Only one handler calls this, and it does not interrupt itself.
    pub fn count(&self) {
        self.0.store(self.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The window opens.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn window_begin() {
    cortex_m::asm::nop();
}

/// The window closes.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn window_end() {
    cortex_m::asm::nop();
}

/// Executes `work` between the marks, with SysTick (priority 0x40) above PendSV (0x80). SysTick may
/// pend its exception, but its counter stands still.
pub fn in_window(work: impl FnOnce()) {
    let mut core = cortex_m::Peripherals::take().unwrap();
    // SAFETY: no critical section depends on these priorities.
    unsafe {
        core.SCB.set_priority(SystemHandler::SysTick, 0x40);
        core.SCB.set_priority(SystemHandler::PendSV, 0x80);
    }
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.enable_interrupt();
    window_begin();
    work();
    window_end();
}

/// Ends the program: with 0 when all is `right`.
pub fn end(right: bool) -> ! {
    semihosting::process::exit(if right { 0 } else { 3 })
}
