//! Many processes whose alarms expire on one tick, beside an interrupt and a thread that are more
//! urgent. The clock's interrupt has the priority that the command line says.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m::peripheral::NVIC;
use cortex_m::peripheral::scb::SystemHandler;
use cortex_m_rt::entry;
use lm3s6965::{Interrupt, interrupt};
use quintet::process::alarm::Alarm;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting::println;

/// How many processes there can be.
const COUNT: usize = 16;

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, 12_000_000);
quintet::thread!(static URGENT, priority = 5, stack = 1024, entry = wait);

static ALARM: Alarm<COUNT> = Alarm::new();
static GO: Semaphore = Semaphore::new(0);

quintet::processes!(
    static PROCESSES,
    count = COUNT,
    priority = 2,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&ALARM],
);

/// The interrupt that must not be late.
#[interrupt]
fn GPIOC() {
    GO.give();
}

/// The thread that must not be late.
fn wait(this: &CurrentThread<'_>) {
    loop {
        GO.take().block(this);
        ran();
    }
}

/// Where the test sees that the thread runs.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn ran() {
    core::hint::black_box(());
}

/// The priority of the clock's interrupt.
fn priority() -> u8 {
    let Ok(arguments) = semihosting::experimental::env::args::<256>() else { return 0x20 };
    let last = (&arguments).into_iter().last().and_then(Result::ok);
    last.and_then(|last| last.parse().ok()).unwrap_or(0x20)
}

#[entry]
fn main() -> ! {
    let mut peripherals = cortex_m::Peripherals::take().expect("taken once");
    // SAFETY: nothing of the kernel was used before; the interrupts' priorities are the kernel's or
    // below; the linker script leaves `flash` and `memory` to the processes.
    unsafe {
        quintet::thread::initialise();
        peripherals.NVIC.set_priority(Interrupt::GPIOC, 0x20);
        NVIC::unmask(Interrupt::GPIOC);
        Clock::start(peripherals.SYST);
        peripherals.SCB.set_priority(SystemHandler::SysTick, priority());
        URGENT.start().expect("it is started once");
        PROCESSES.start(|_| ());
    }
    loop {
        cortex_m::asm::wfi();
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
