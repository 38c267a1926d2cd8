//! A mask and a priority that input could set: here it does not, so no run shows them.

#![no_std]
#![no_main]

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::peripheral::scb::SystemHandler;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::{entry, exception};

static TICKS: AtomicU32 = AtomicU32::new(0);

#[exception]
fn SysTick() {
    TICKS.fetch_add(1, Ordering::Relaxed);
}

#[inline(never)]
fn hold_off(priority: u8) {
    // SAFETY: nothing relies on the mask.
    unsafe { cortex_m::register::basepri::write(priority) };
}

#[entry]
fn main() -> ! {
    let mut core = cortex_m::Peripherals::take().unwrap();
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(11_999);
    core.SYST.clear_current();
    core.SYST.enable_counter();
    core.SYST.enable_interrupt();
    while TICKS.load(Ordering::Relaxed) < 5 {
        hold_off(black_box(0));
        if black_box(false) {
            // SAFETY: nothing relies on the priority.
            unsafe { core.SCB.set_priority(SystemHandler::SysTick, 0xe0) };
        }
        cortex_m::asm::wfi();
    }
    semihosting::process::exit(0)
}
