//! Works twice: before it sets SysTick to its longest period, without an interrupt, and behind
//! that.
#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m::peripheral::syst::SystClkSource;

macro_rules! marks {
    ($($name:ident)+) => { $(
        #[unsafe(no_mangle)]
        #[inline(never)]
        extern "C" fn $name() {
            black_box(());
        }
    )+ };
}

marks!(first_begin first_end second_begin second_end);

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut core = cortex_m::Peripherals::take().unwrap();
    first_begin();
    cortex_m::asm::delay(500);
    first_end();
    core.SYST.set_clock_source(SystClkSource::Core);
    core.SYST.set_reload(0xff_ffff);
    core.SYST.clear_current();
    core.SYST.enable_counter();
    second_begin();
    cortex_m::asm::delay(500);
    second_end();
    semihosting::process::exit(0)
}
