//! Two tasks: one blinks by embassy's time, one writes by a UART.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::uart::{Config, UartTx};
use embassy_time::Timer;
use panic_halt as _;

#[embassy_executor::task]
async fn blink(mut led: Output<'static>) {
    loop {
        led.toggle();
        Timer::after_millis(1).await;
    }
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    spawner.spawn(blink(Output::new(p.PIN_25, Level::Low)).unwrap());
    let mut tx = UartTx::new_blocking(p.UART0, p.PIN_0, Config::default());
    for turn in [b'0', b'1', b'2'] {
        Timer::after_millis(3).await;
        tx.blocking_write(&[b't', b'u', b'r', b'n', b' ', turn, b'\n']).unwrap();
    }
    core::future::pending::<()>().await;
}
