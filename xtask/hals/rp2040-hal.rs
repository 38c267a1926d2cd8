//! Blinks, and tells of it by a UART, timed by the timer.
#![no_std]
#![no_main]

use core::fmt::Write;

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::StatefulOutputPin;
use panic_halt as _;
use rp2040_hal as hal;
use hal::clocks::Clock;
use hal::fugit::RateExtU32;
use hal::pac;
use hal::uart::{DataBits, StopBits, UartConfig, UartPeripheral};

#[unsafe(link_section = ".boot2")]
#[used]
pub static BOOT2: [u8; 256] = rp2040_boot2::BOOT_LOADER_GENERIC_03H;

#[hal::entry]
fn main() -> ! {
    let mut p = pac::Peripherals::take().unwrap();
    let mut watchdog = hal::Watchdog::new(p.WATCHDOG);
    let clocks = hal::clocks::init_clocks_and_plls(
        12_000_000,
        p.XOSC,
        p.CLOCKS,
        p.PLL_SYS,
        p.PLL_USB,
        &mut p.RESETS,
        &mut watchdog,
    )
    .unwrap();
    let mut timer = hal::Timer::new(p.TIMER, &mut p.RESETS, &clocks);
    let sio = hal::Sio::new(p.SIO);
    let pins = hal::gpio::Pins::new(p.IO_BANK0, p.PADS_BANK0, sio.gpio_bank0, &mut p.RESETS);
    let mut led = pins.gpio25.into_push_pull_output();
    let wires = (pins.gpio0.into_function(), pins.gpio1.into_function());
    let config = UartConfig::new(115_200.Hz(), DataBits::Eight, None, StopBits::One);
    let mut uart = UartPeripheral::new(p.UART0, wires, &mut p.RESETS)
        .enable(config, clocks.peripheral_clock.freq())
        .unwrap();
    for turn in 0..3 {
        led.toggle().unwrap();
        timer.delay_ms(2);
        writeln!(uart, "blink {turn}, {} MHz", clocks.system_clock.freq().to_MHz()).unwrap();
    }
    loop {
        cortex_m::asm::wfi();
    }
}
