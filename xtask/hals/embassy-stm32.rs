//! Two tasks: one blinks by embassy's time, one writes by a UART with DMA.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_stm32::gpio::{Level, Output, Speed};
use embassy_stm32::usart::{Config, UartTx};
use embassy_stm32::{bind_interrupts, dma, peripherals};
use embassy_time::Timer;
use panic_halt as _;

bind_interrupts!(struct Irqs {
    DMA1_STREAM6 => dma::InterruptHandler<peripherals::DMA1_CH6>;
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
    let p = embassy_stm32::init(embassy_stm32::Config::default());
    spawner.spawn(blink(Output::new(p.PA5, Level::Low, Speed::Low)).unwrap());
    let mut tx = UartTx::new(p.USART2, p.PA2, p.DMA1_CH6, Irqs, Config::default()).unwrap();
    for turn in [b'0', b'1', b'2'] {
        Timer::after_millis(3).await;
        tx.write(&[b't', b'u', b'r', b'n', b' ', turn, b'\n']).await.unwrap();
    }
    core::future::pending::<()>().await;
}
