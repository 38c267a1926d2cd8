//! Blinks, and tells of it by a UART, timed by a timer.
#![no_std]
#![no_main]

use core::fmt::Write;

use cortex_m_rt::entry;
use panic_halt as _;
use stm32f4xx_hal::{pac, prelude::*, rcc::Config};

#[entry]
fn main() -> ! {
    let dp = pac::Peripherals::take().unwrap();
    let mut rcc = dp.RCC.freeze(Config::hse(8.MHz()).sysclk(84.MHz()));
    let gpioa = dp.GPIOA.split(&mut rcc);
    let mut led = gpioa.pa5.into_push_pull_output();
    let mut tx = dp.USART2.tx(gpioa.pa2, 115_200.bps(), &mut rcc).unwrap();
    let mut delay = dp.TIM5.delay_us(&mut rcc);
    for turn in 0..3 {
        led.toggle();
        delay.delay_ms(2_u32);
        writeln!(tx, "blink {turn}, {} MHz", rcc.clocks.sysclk().to_MHz()).unwrap();
    }
    loop {
        cortex_m::asm::wfi();
    }
}
