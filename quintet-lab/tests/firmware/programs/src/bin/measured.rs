//! Runs a piece of work six times, longer each time, with a SysTick interrupt in some of them.
#![no_std]
#![no_main]

use core::hint::black_box;
use cortex_m::peripheral::syst::SystClkSource;

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn work_begin(rounds: u32) -> u32 {
    black_box(rounds)
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn work_end(result: u32) -> u32 {
    black_box(result)
}

#[cortex_m_rt::exception]
fn SysTick() {
    cortex_m::asm::nop();
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut core = cortex_m::Peripherals::take().unwrap();
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(499);
    core.SYST.clear_current();
    core.SYST.enable_counter();
    core.SYST.enable_interrupt();
    let mut result = 0;
    for rounds in 1..=6 {
        let mut left = work_begin(rounds * 20);
        while left > 0 {
            left = black_box(left - 1);
            result += 1;
        }
        work_end(result);
    }
    semihosting::process::exit(0)
}
