//! The first kernel of the book: processes with an alarm, a console, and a driver of the
//! application's own.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use lm3s6965::{Interrupt, interrupt};
use quintet::process::alarm::Alarm;
use quintet::process::console::Console;
use quintet::process::{
    Answer, Client, Clients, Driver, ErrorCode, Fault, Policy, Process, Slots, Status,
};
use semihosting::{print, println};

// begin: processes
/// How many processes there can be.
const COUNT: usize = 4;

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, 12_000_000);

static ALARM: Alarm<COUNT> = Alarm::new();
static CONSOLE: Console<COUNT> = Console::new(|| NVIC::pend(Interrupt::GPIOA));
static PULSES: Pulses<COUNT> = Pulses::new();

quintet::processes!(
    static PROCESSES,
    count = COUNT,
    priority = 1,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&ALARM, &CONSOLE, &PULSES],
    on_fault = on_fault,
);
// end: processes

// begin: policy
/// Starts a process anew, three times at most.
fn on_fault(process: &Process, fault: &Fault) -> Policy {
    println!("{fault}");
    if process.restarts() < 3 { Policy::Restart } else { Policy::Stop }
}
// end: policy

// begin: interrupt
/// Moves what processes write: the console has pended it.
#[interrupt]
fn GPIOA() {
    while let Some(byte) = CONSOLE.next_byte() {
        print!("{}", char::from(byte));
    }
}
// end: interrupt

/// Stands for a line that brings pulses.
#[interrupt]
fn GPIOB() {
    PULSES.count();
}

// begin: driver
/// Counts pulses for `N` processes, and tells one when so many have come as it wants.
struct Pulses<const N: usize> {
    /// For each process, how many pulses are left; and one upcall.
    clients: Clients<N, AtomicU32, 1>,
}

impl<const N: usize> Pulses<N> {
    const fn new() -> Self {
        Self { clients: Clients::new([const { AtomicU32::new(0) }; N]) }
    }

    /// A pulse has come. For the task of the interrupt that says so.
    fn count(&self) {
        for client in self.clients.noted() {
            let left = self.clients.state(client.index());
            // This task alone counts, and no call of a process interrupts it.
            let pulses = left.load(Ordering::Relaxed);
            left.store(pulses.wrapping_sub(1), Ordering::Relaxed);
            if pulses == 1 {
                self.clients.drop_note(client);
                // A process with so many upcalls due hears of it by none of these.
                let _no_room = client.upcall(0, [0; 3]);
            }
        }
    }
}

impl<const N: usize> Driver for Pulses<N> {
    const NUMBER: u32 = 0x8000_0001;
    const PLACES: usize = N;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, _: u32) -> Answer {
        let left = self.clients.state(client.index());
        match command {
            1 if first == 0 => Answer::Failure(ErrorCode::Invalid),
            1 => {
                // The interrupt may come in between: it must not find half of it.
                self.clients.drop_note(client);
                left.store(first, Ordering::Relaxed);
                self.clients.note(client);
                Answer::Success
            }
            2 => Answer::Word(left.load(Ordering::Relaxed)),
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }

    fn forget(&'static self, client: Client) {
        self.clients.drop_note(client);
        self.clients.state(client.index()).store(0, Ordering::Relaxed);
    }
}
// end: driver

// begin: main
#[entry]
fn main() -> ! {
    let mut peripherals = cortex_m::Peripherals::take().expect("taken once");
    // SAFETY: nothing of the kernel was used before; interrupts get the kernel's priority; the
    // linker script leaves `flash` and `memory` to the processes.
    unsafe {
        quintet::thread::initialise();
        for line in [Interrupt::GPIOA, Interrupt::GPIOB] {
            peripherals.NVIC.set_priority(line, 0x20);
            NVIC::unmask(line);
        }
        Clock::start(peripherals.SYST);
        PROCESSES.start(|found| println!("{found}"));
    }
    while PROCESSES.processes().iter().any(|process| process.status() == Status::Alive) {
        // The clock's interrupt comes now and then, at the latest.
        cortex_m::asm::wfi();
    }
    for process in PROCESSES.processes() {
        if process.status() != Status::Empty {
            println!("{} ends as {:?}", process.name(), process.status());
        }
    }
    semihosting::process::exit(0)
}
// end: main

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
