//! Processes of two priorities: two take turns by time, and one comes between whenever an interrupt
//! brings it an upcall. The kernel judges who calls, and when. Beside that there is a console that
//! moves a byte in each fifth of a millisecond. The application is that of the campaign, which asks
//! for its role; the command line says how long all of it takes, in milliseconds.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cortex_m::peripheral::{NVIC, SCB};
use cortex_m_rt::entry;
use lm3s6965::{Interrupt, interrupt};
use quintet::process::alarm::Alarm;
use quintet::process::console::Console;
use quintet::process::{Answer, Client, Clients, Driver, ErrorCode, Slots, Status};
use quintet::thread::{Slice, take_turns};
use quintet::time::{Duration, Instant, SoftwareTimer};
use semihosting::{print, println};

/// The processor's clock.
const HZ: u32 = 12_000_000;
/// How many processes there can be.
const COUNT: usize = 4;
/// Where the one of the higher priority is, among those that were loaded.
const URGENT: usize = 2;
/// How long a turn is, and between two upcalls of the urgent one.
const TURN: Duration = Duration::from_millis(2);
const COMES: Duration = Duration::from_micros(700);

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, HZ);

static ALARM: Alarm<COUNT> = Alarm::new();
static CONSOLE: Console<COUNT> = Console::new(|| ());
static DESK: Desk = Desk { clients: Clients::new([(); COUNT]) };
static BYTES: SoftwareTimer = SoftwareTimer::new(|_| NVIC::pend(Interrupt::GPIOA));
static BRINGS: SoftwareTimer = SoftwareTimer::new(|_| NVIC::pend(Interrupt::GPIOB));
static END: SoftwareTimer = SoftwareTimer::new(|timer| end(timer));
static SLICES: [Slice; 1] = [Slice::new(1, TURN)];

/// An upcall of the urgent process has become due while a process ran: the urgent one calls next.
static DUE: AtomicBool = AtomicBool::new(false);
/// How often it has come, and how often that preempted another process.
static COME: AtomicU32 = AtomicU32::new(0);
static PREEMPTED: AtomicU32 = AtomicU32::new(0);
/// Whose turn it is, since when, in microseconds; how many turns each has had, and how long the
/// shortest and the longest were.
static TURN_OF: AtomicU32 = AtomicU32::new(u32::MAX);
static SINCE: AtomicU32 = AtomicU32::new(0);
static TURNS: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
static SHORTEST: AtomicU32 = AtomicU32::new(u32::MAX);
static LONGEST: AtomicU32 = AtomicU32::new(0);

quintet::processes!(
    static PROCESSES,
    count = COUNT,
    priority = [1, 1, 2, 1],
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [&ALARM, &CONSOLE, &DESK],
);

/// Judges who calls.
struct Desk {
    clients: Clients<COUNT, (), 7, 1, 1, 1>,
}

impl Desk {
    /// One that takes turns runs.
    fn runs(which: usize) {
        assert!(!DUE.load(Ordering::Relaxed), "process {which} runs before the urgent one");
        let now = (Instant::now() - Instant::MIN).as_micros() as u32;
        if TURN_OF.swap(which as u32, Ordering::Relaxed) != which as u32 {
            let turn = now - SINCE.swap(now, Ordering::Relaxed);
            // The first one began with nobody beside it.
            if TURNS[which].fetch_add(1, Ordering::Relaxed) > 0 {
                SHORTEST.fetch_min(turn, Ordering::Relaxed);
                LONGEST.fetch_max(turn, Ordering::Relaxed);
            }
        }
    }
}

impl Driver for Desk {
    const NUMBER: u32 = 0x8000_0004;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, what: u32, word: u32) -> Answer {
        match (command, what) {
            // Its role.
            (1, _) => {
                self.clients.note(client);
                Answer::Word(match client.process().name() {
                    "turns" => 6,
                    "comes" => 7,
                    _ => 9,
                })
            }
            (2 | 3, _) => Answer::Success,
            (6, 0) if word == 1 => Answer::Word(client.index() as u32),
            (6, 0) => {
                Self::runs(client.index());
                Answer::Word(0)
            }
            (6, 1) => {
                DUE.store(false, Ordering::Relaxed);
                COME.store(word, Ordering::Relaxed);
                Answer::Word(0)
            }
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }
}

#[interrupt]
fn GPIOA() {
    if let Some(byte) = CONSOLE.next_byte() {
        print!("{}", char::from(byte));
    }
}

/// Lets the urgent process run. The next call is that process's, unless a call has begun already.
#[interrupt]
fn GPIOB() {
    const CALL_HAS_BEGUN: u32 = 1 << 7 | 1 << 15;
    let mut clients = DESK.clients.noted();
    let Some(client) = clients.find(|client| client.index() == URGENT) else { return };
    let number = PREEMPTED.fetch_add(1, Ordering::Relaxed);
    client.upcall(0, [number, 0, 0]).expect("it has heard of the one before");
    // SAFETY: reading has no effect.
    let handlers = unsafe { (*SCB::PTR).shcsr.read() };
    DUE.store(handlers & CALL_HAS_BEGUN == 0, Ordering::Relaxed);
}

/// The time that the command line says, in milliseconds.
fn time_limit() -> u64 {
    let Ok(arguments) = semihosting::experimental::env::args::<256>() else { return 1000 };
    let last = (&arguments).into_iter().last().and_then(Result::ok);
    last.and_then(|last| last.parse().ok()).unwrap_or(1000)
}

#[entry]
fn main() -> ! {
    let mut peripherals = cortex_m::Peripherals::take().expect("taken once");
    // SAFETY: nothing of the kernel was used before; the interrupts' priority is the kernel's; the
    // linker script leaves `flash` and `memory` to the processes.
    unsafe {
        quintet::thread::initialise();
        for line in [Interrupt::GPIOA, Interrupt::GPIOB] {
            peripherals.NVIC.set_priority(line, 0x20);
            NVIC::unmask(line);
        }
        Clock::start(peripherals.SYST);
        take_turns(&SLICES);
        BYTES.start_periodic(Duration::from_micros(200));
        BRINGS.start_periodic(COMES);
        END.start(Duration::from_millis(time_limit()));
        PROCESSES.start(|_| ());
    }
    loop {
        cortex_m::asm::wfi();
    }
}

/// Says what came of it, and ends.
fn end(_: &'static SoftwareTimer) -> ! {
    let get = |count: &AtomicU32| count.load(Ordering::Relaxed);
    println!();
    println!("the urgent one has come {} of {} times", get(&COME), get(&PREEMPTED));
    println!("{} and {} turns", get(&TURNS[0]), get(&TURNS[1]));
    println!("turns took {} to {} us", get(&SHORTEST), get(&LONGEST));
    for process in PROCESSES.processes() {
        if process.status() != Status::Empty {
            let (name, status, restarts) = (process.name(), process.status(), process.restarts());
            println!("{name} ends as {status:?}, restarted {} times", restarts.min(9));
        }
    }
    semihosting::process::exit(0)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
