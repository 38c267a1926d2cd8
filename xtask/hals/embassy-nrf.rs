//! Two tasks: one blinks by embassy's time, one writes by a UARTE.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_nrf::gpio::{Level, Output, OutputDrive};
use embassy_nrf::{bind_interrupts, peripherals, uarte};
use embassy_time::Timer;
use panic_halt as _;

bind_interrupts!(struct Irqs {
    UARTE0 => uarte::InterruptHandler<peripherals::UARTE0>;
});

#[embassy_executor::task]
async fn blink(mut led: Output<'static>) {
    loop {
        led.toggle();
        Timer::after_millis(1).await;
    }
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let p = embassy_nrf::init(Default::default());
    spawner.spawn(blink(Output::new(p.P0_13, Level::Low, OutputDrive::Standard)).unwrap());
    let mut tx = uarte::UarteTx::new(p.UARTE0, Irqs, p.P0_06, uarte::Config::default());
    for turn in [b'0', b'1', b'2'] {
        Timer::after_millis(3).await;
        let line = [b't', b'u', b'r', b'n', b' ', turn, b'\n'];
        tx.write(&line).await.unwrap();
    }
    core::future::pending::<()>().await;
}
