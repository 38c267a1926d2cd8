//! A kernel whose processes may have three upcalls due, and a driver that makes them on demand.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use lm3s6965 as _;
use quintet::process::{Answer, Client, Clients, Driver, ErrorCode, Slots, Status};
use semihosting::println;

/// How many processes there can be.
const COUNT: usize = 1;

quintet::kernel!(hardware_priority = 0x20);

static BELLS: Bells = Bells { clients: Clients::new([(); COUNT]) };

quintet::processes!(
    static PROCESSES,
    count = COUNT,
    priority = 1,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&BELLS],
    upcalls = 3,
);

/// Each command makes an upcall due for who calls.
struct Bells {
    clients: Clients<COUNT, (), 3>,
}

impl Driver for Bells {
    const NUMBER: u32 = 0x8000_0002;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
        match command {
            1 => client.upcall(first as usize, [second, first, 0]).into(),
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before; the linker script leaves `flash` and `memory`
    // to the processes.
    unsafe {
        quintet::thread::initialise();
        PROCESSES.start(|found| println!("{found}"));
    }
    // It never waits: what it waits for is due.
    for process in PROCESSES.processes().iter().filter(|one| one.status() != Status::Empty) {
        println!("{} ends as {:?}", process.name(), process.status());
    }
    semihosting::process::exit(0)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
