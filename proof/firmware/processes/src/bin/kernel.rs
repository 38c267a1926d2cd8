//! Processes with all drivers that there are. What they write is printed; the end is when none is
//! left that runs, or when the time is over that the command line says, in milliseconds.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use lm3s6965::{Interrupt, interrupt};
use quintet::process::alarm::Alarm;
use quintet::process::buttons::Buttons;
use quintet::process::console::Console;
use quintet::process::gpio::{Gpio, Pins};
use quintet::process::ipc::Ipc;
use quintet::process::leds::Leds;
use quintet::process::low_level_debug::{LowLevelDebug, Said};
use quintet::process::random::Random;
use quintet::process::temperature::Temperature;
use quintet::process::{
    Answer, Client, Clients, Driver, ErrorCode, Fault, Policy, Process, Slots, Status,
};
use quintet::thread::{Slice, take_turns};
use quintet::time::{Duration, SoftwareTimer};
use semihosting::{print, println};

/// The processor's clock.
const HZ: u32 = 12_000_000;
/// Where flash and memory begin.
const FLASH: u32 = if cfg!(feature = "an505") { 0x1000_0000 } else { 0 };
const MEMORY: u32 = if cfg!(feature = "an505") { 0x3800_0000 } else { 0x2000_0000 };
/// How many processes there can be.
const COUNT: usize = 4;
/// The interrupts that move what drivers want moved.
const LINES: [Interrupt; 4] =
    [Interrupt::GPIOA, Interrupt::GPIOB, Interrupt::GPIOC, Interrupt::UART0];

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, HZ);

static ALARM: Alarm<COUNT> = Alarm::new();
static CONSOLE: Console<COUNT> = Console::new(|| NVIC::pend(Interrupt::GPIOA));
static LEDS: Leds<4> =
    Leds::new(|which, on| println!("LED {which} is {}", if on { "on" } else { "off" }));
static BUTTONS: Buttons<COUNT, 2> = Buttons::new(|_| false);
static RANDOM: Random<COUNT> = Random::new(|| NVIC::pend(Interrupt::GPIOB));
static TEMPERATURE: Temperature<COUNT> = Temperature::new(|| NVIC::pend(Interrupt::GPIOC));
static DEBUG: LowLevelDebug = LowLevelDebug::new(say);
static PINS: Gpio<COUNT, 8> = Gpio::new(Pins {
    set_up: |_, _| {},
    write: set_pin,
    read: |which| level(which),
    listen: |_, _| {},
});
static IPC: Ipc<COUNT> = Ipc::new();
static PAGE: Page<COUNT> = Page { clients: Clients::new([(); COUNT]) };
static END: SoftwareTimer = SoftwareTimer::new(|timer| end(timer));
static SLICES: [Slice; 1] = [Slice::new(2, Duration::from_millis(10))];

quintet::processes!(
    static PROCESSES,
    count = COUNT,
    priority = 2,
    flash = FLASH + 0x2_0000..FLASH + 0x4_0000,
    memory = MEMORY + 0x4000..MEMORY + 0x1_0000,
    drivers = [
        &ALARM,
        &CONSOLE,
        &LEDS,
        &BUTTONS,
        &RANDOM,
        &TEMPERATURE,
        &DEBUG,
        &PINS,
        &IPC,
        &PAGE,
    ],
    on_fault = on_fault,
);

/// The levels of pins. 0 and 1 are joined.
static LEVELS: AtomicU32 = AtomicU32::new(0);

fn level(which: usize) -> bool {
    LEVELS.load(Ordering::Relaxed) >> which & 1 != 0
}

fn set_pin(which: usize, level: bool) {
    let joined = if which < 2 { 0b11 } else { 1 << which };
    let others = LEVELS.load(Ordering::Relaxed) & !joined;
    LEVELS.store(others | if level { joined } else { 0 }, Ordering::Relaxed);
    for which in (0..8).filter(|which| joined >> which & 1 != 0) {
        println!("pin {which} is {}", u8::from(level));
        PINS.changed(which, level);
    }
}

/// Writes words into a buffer that the process reads.
struct Page<const N: usize> {
    clients: Clients<N, (), 0, 0, 0, 1>,
}

impl<const N: usize> Driver for Page<N> {
    const NUMBER: u32 = 0x8000_0002;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
        let (page, index) = (client.readable(0), first as usize);
        let missing = Answer::Failure(ErrorCode::Invalid);
        match command {
            1 if page.is_empty() => Answer::Word(0),
            1 if page.store(index, second) => Answer::Word(page.len() as u32),
            1 => missing,
            2 => page.load(index).map_or(missing, Answer::Word),
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }
}

fn say(process: &Process, said: Said) {
    println!("process {} {said}", process.index());
}

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

#[interrupt]
fn GPIOB() {
    static STATE: AtomicU32 = AtomicU32::new(1);
    loop {
        // A generator by shifts, in place of a source of true randomness.
        let mut word = STATE.load(Ordering::Relaxed);
        word ^= word << 13;
        word ^= word >> 17;
        word ^= word << 5;
        STATE.store(word, Ordering::Relaxed);
        if !RANDOM.provide(&word.to_le_bytes()) {
            break;
        }
    }
}

#[interrupt]
fn GPIOC() {
    TEMPERATURE.read(2345);
}

#[interrupt]
fn UART0() {
    let uart = 0x4000_c000 as *mut u32;
    // SAFETY: the UART, which nobody else uses: flags, data, acknowledgment.
    unsafe {
        while uart.byte_add(0x18).read_volatile() & 1 << 4 == 0 {
            CONSOLE.receive(uart.read_volatile() as u8);
        }
        uart.byte_add(0x44).write_volatile(1 << 4);
    }
}

/// The time that the command line says, in milliseconds.
fn time_limit() -> u64 {
    let Ok(arguments) = semihosting::experimental::env::args::<256>() else { return 1000 };
    let last = (&arguments).into_iter().last().and_then(Result::ok);
    let last = last.and_then(|last| last.parse().ok());
    last.unwrap_or(1000)
}

#[entry]
fn main() -> ! {
    let mut peripherals = cortex_m::Peripherals::take().expect("taken once");
    // SAFETY: nothing of the kernel was used before; the interrupt's priority is the kernel's.
    unsafe {
        quintet::thread::initialise();
        for line in LINES {
            peripherals.NVIC.set_priority(line, 0x20);
            NVIC::unmask(line);
        }
        if cfg!(not(feature = "an505")) {
            // The UART: on, with an interrupt for each byte that comes.
            (0x4000_c038 as *mut u32).write_volatile(1 << 4);
            (0x4000_c030 as *mut u32).write_volatile(0x301);
        }
        Clock::start(peripherals.SYST);
        take_turns(&SLICES);
        // Before any process runs, as one may never let `main` go on.
        END.start(Duration::from_millis(time_limit()));
        PROCESSES.start(|found| println!("{found}"));
    }
    while PROCESSES.processes().iter().any(|process| process.status() == Status::Alive) {
        cortex_m::asm::wfi();
    }
    end(&END)
}

/// Says how each stands, and ends.
fn end(_: &'static SoftwareTimer) -> ! {
    for process in PROCESSES.processes() {
        if process.status() != Status::Empty {
            println!("{} ends as {:?}", process.name(), process.status());
        }
    }
    semihosting::process::exit(0)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
