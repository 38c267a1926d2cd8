//! Processes with a console: what they write is printed; the end is when none is left that will run.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use lm3s6965::{Interrupt, interrupt};
use quintet::process::console::Console;
use quintet::process::{Fault, Policy, Process, Status};
use semihosting::{print, println};

quintet::kernel!(hardware_priority = 0x20);

static CONSOLE: Console<4> = Console::new(|| NVIC::pend(Interrupt::GPIOA));

quintet::processes!(
    static PROCESSES,
    count = 4,
    priority = 2,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&CONSOLE],
    on_fault = on_fault,
);

fn on_fault(_: &Process, fault: &Fault) -> Policy {
    println!("{fault}");
    Policy::Stop
}

#[interrupt]
fn GPIOA() {
    while let Some(byte) = CONSOLE.next_byte() {
        print!("{}", char::from(byte));
    }
}

#[entry]
fn main() -> ! {
    let mut peripherals = cortex_m::Peripherals::take().expect("taken once");
    // SAFETY: nothing of the kernel was used before; the interrupt's priority is the kernel's.
    unsafe {
        quintet::thread::initialise();
        peripherals.NVIC.set_priority(Interrupt::GPIOA, 0x20);
        NVIC::unmask(Interrupt::GPIOA);
        PROCESSES.start(|found| println!("{found}"));
    }
    loop {
        // Nobody else is ready: either all have ended, or wait for ever.
        for process in PROCESSES.processes() {
            if process.status() != Status::Empty {
                println!("{} ends as {:?}", process.name(), process.status());
            }
        }
        semihosting::process::exit(0);
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
