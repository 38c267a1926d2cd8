//! A driver of the user's own, with places for fewer processes than there can be: found out at the
//! start, as the driver doesn't say its number of places.
#![no_std]
#![no_main]

use core::panic::PanicInfo;

use cortex_m_rt::entry;
use lm3s6965 as _;
use quintet::process::{Answer, Client, Clients, Driver, Slots};
use semihosting::println;

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, 12_000_000);

/// Notes who calls.
struct Bell {
    clients: Clients<2, (), 1>,
}

static BELL: Bell = Bell { clients: Clients::new([(); 2]) };

impl Driver for Bell {
    const NUMBER: u32 = 0x8000_0001;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, _: u32, _: u32, _: u32) -> Answer {
        self.clients.note(client);
        Answer::Success
    }
}

quintet::processes!(
    static PROCESSES,
    count = 4,
    priority = 1,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&BELL],
);

#[entry]
fn main() -> ! {
    let peripherals = cortex_m::Peripherals::take().expect("taken once");
    // SAFETY: nothing of the kernel was used before.
    unsafe {
        quintet::thread::initialise();
        Clock::start(peripherals.SYST);
        PROCESSES.start(|_| ());
    }
    println!("it has started");
    semihosting::process::exit(0)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
