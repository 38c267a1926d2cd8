//! Blinks, and tells of it by a UART, timed by a timer.
#![no_std]
#![no_main]

use core::fmt::Write;

use cortex_m_rt::entry;
use panic_halt as _;
use stm32f1xx_hal::{pac, prelude::*, rcc, serial};

#[entry]
fn main() -> ! {
    let dp = pac::Peripherals::take().unwrap();
    let mut flash = dp.FLASH.constrain();
    let clock = rcc::Config::hse(8.MHz()).sysclk(72.MHz()).pclk1(36.MHz());
    let mut rcc = dp.RCC.freeze(clock, &mut flash.acr);
    let mut gpioa = dp.GPIOA.split(&mut rcc);
    let mut gpioc = dp.GPIOC.split(&mut rcc);
    let mut led = gpioc.pc13.into_push_pull_output(&mut gpioc.crh);
    let config = serial::Config::default().baudrate(115_200.bps());
    let mut tx = dp.USART2.tx(gpioa.pa2.into_alternate_push_pull(&mut gpioa.crl), config, &mut rcc);
    let mut delay = dp.TIM2.delay_us(&mut rcc);
    for turn in 0..3 {
        led.toggle();
        delay.delay_ms(2_u16);
        writeln!(tx, "blink {turn}, {} MHz", rcc.clocks.sysclk().to_MHz()).unwrap();
    }
    loop {
        cortex_m::asm::wfi();
    }
}
