//! A kernel under attack: the process `hostile` does whatever it can think of, and is always
//! started anew. Beside it the process `steady` works, a thread and a timer's function have a
//! deadline in each millisecond, and a timer and interrupts stop, end, start and serve the hostile
//! one at random times. Who finds anything wrong panics; `cargo proof hostile` looks at the rest.
#![no_std]
#![no_main]

use core::fmt::Write;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use lm3s6965::{Interrupt, interrupt};
use quintet::process::alarm::Alarm;
use quintet::process::buttons::Buttons;
use quintet::process::console::Console;
use quintet::process::gpio::{Gpio, Pins};
use quintet::process::ipc::Ipc;
use quintet::process::leds::Leds;
use quintet::process::low_level_debug::LowLevelDebug;
use quintet::process::random::Random;
use quintet::process::temperature::Temperature;
use quintet::process::{
    Answer, Client, Clients, Driver, ErrorCode, Fault, Policy, Process, Slots, Status,
};
use quintet::sync::Operation;
use quintet::thread::{CurrentThread, Slice, take_turns};
use quintet::time::{Duration, Instant, SoftwareTimer, Ticker};

#[cfg(feature = "floats")]
#[path = "../../../campaign/src/floats.rs"]
#[expect(dead_code, reason = "the campaign uses the rest")]
mod floats;

/// The processor's clock.
const HZ: u32 = 12_000_000;
/// How many processes there can be.
const COUNT: usize = 2;
/// Where they are in the table.
const STEADY: usize = 0;
const HOSTILE: usize = 1;
/// The interrupts that move what drivers want moved.
const LINES: [Interrupt; 3] = [Interrupt::GPIOA, Interrupt::GPIOB, Interrupt::GPIOC];
/// The deadline of whoever has one comes in each of these.
const PERIOD: Duration = Duration::from_millis(1);
/// In no longer time a deadline is missed, by an interrupt and by a thread, in microseconds.
const LATE_MAX: [u32; 2] = [200, 999];

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, HZ);
quintet::thread!(static WATCHER, priority = 3, stack = 1024, entry = watch);

static ALARM: Alarm<COUNT> = Alarm::new();
static CONSOLE: Console<COUNT> = Console::new(|| NVIC::pend(Interrupt::GPIOA));
static LEDS: Leds<4> = Leds::new(|_, _| ());
static BUTTONS: Buttons<COUNT, 2> = Buttons::new(|_| false);
static RANDOM: Random<COUNT> = Random::new(|| NVIC::pend(Interrupt::GPIOB));
static TEMPERATURE: Temperature<COUNT> = Temperature::new(|| NVIC::pend(Interrupt::GPIOC));
static DEBUG: LowLevelDebug = LowLevelDebug::new(|_, _| ());
static PINS: Gpio<COUNT, 8> =
    Gpio::new(Pins { set_up: |_, _| {}, write: |_, _| {}, read: |_| false, listen: |_, _| {} });
static IPC: Ipc<COUNT> = Ipc::new();
static JUDGE: Judge<COUNT> = Judge { clients: Clients::new([(); COUNT]) };
static CHAOS: SoftwareTimer = SoftwareTimer::new(|_| around(0xc4a0_5000, disturb));
static SLICES: [Slice; 1] = [Slice::new(2, PERIOD)];

quintet::processes!(
    static PROCESSES,
    count = COUNT,
    priority = 2,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
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
        &JUDGE,
    ],
    on_fault = on_fault,
);

/// Where the sequence of random numbers stands. The command writes it at the beginning.
#[unsafe(no_mangle)]
static SEED: AtomicU32 = AtomicU32::new(0);
/// Nobody changes this.
#[unsafe(no_mangle)]
static CANARY: [AtomicU32; 64] = [const { AtomicU32::new(0xca4a_5717) }; 64];
/// The rounds of the timer, the thread and the process `steady`; how late the first two were at
/// most, in microseconds; how often the hostile process has begun; and its faults, by their causes.
#[unsafe(no_mangle)]
static COUNTS: [AtomicU32; 14] = [const { AtomicU32::new(0) }; 14];
const LATE: usize = 3;
const LIVES: usize = 5;
const FAULTS: usize = 6;
/// For each process: its address, and where its memory and its flash begin and end.
#[unsafe(no_mangle)]
static PLACES: [[AtomicU32; 5]; COUNT] = [const { [const { AtomicU32::new(0) }; 5] }; COUNT];
/// What a panic says, and how long it is.
#[unsafe(no_mangle)]
static MESSAGE: [AtomicU8; 256] = [const { AtomicU8::new(0) }; 256];

/// Does something with floating-point registers full of the kernel's patterns, if there are such
/// registers: they must stay, and no process may find any.
#[inline(always)]
fn around(seed: u32, function: impl FnOnce()) {
    #[cfg(feature = "floats")]
    floats::around(seed, false, function);
    #[cfg(not(feature = "floats"))]
    {
        let _nothing = seed;
        function();
    }
}

/// The next random number (xorshift).
fn random() -> u32 {
    let mut word = SEED.load(Ordering::Relaxed);
    word ^= word << 13;
    word ^= word >> 17;
    word ^= word << 5;
    SEED.store(word, Ordering::Relaxed);
    word
}

/// Counts one more. The count.
fn count(which: usize) -> u32 {
    let count = COUNTS[which].load(Ordering::Relaxed) + 1;
    COUNTS[which].store(count, Ordering::Relaxed);
    count
}

/// A round is over that was due then: of the timer, 0, or of the thread, 1.
fn round(which: usize, due: Instant) {
    count(which);
    let late = (Instant::now() - due).as_micros() as u32;
    let latest = COUNTS[LATE + which].load(Ordering::Relaxed).max(late);
    COUNTS[LATE + which].store(latest, Ordering::Relaxed);
    assert!(late <= LATE_MAX[which], "{which} is {late} us late");
}

/// Gives random numbers to the hostile process, and hears of the steady one.
struct Judge<const N: usize> {
    clients: Clients<N, (), 1, 1, 1, 1>,
}

impl<const N: usize> Driver for Judge<N> {
    const NUMBER: u32 = 0x8000_0003;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
        match (command, client.index()) {
            // No address of the kernel's, which the command would take for one that was let out.
            (1, _) => Answer::Word(random() | 1 << 31),
            (2, STEADY) => Answer::Word(count(2)),
            (3, STEADY) => panic!("steady finds {first:#010x} in place of {second:#010x}"),
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }
}

fn on_fault(process: &Process, fault: &Fault) -> Policy {
    assert!(process.index() == HOSTILE, "steady is stopped: {fault}");
    count(FAULTS + fault.cause as usize);
    // The timer starts it anew then.
    if random() & 31 == 0 { Policy::Stop } else { Policy::Restart }
}

/// The timer's: changes the life of the hostile process, or brings it something.
fn disturb() {
    let due = CHAOS.deadline().map_or_else(Instant::now, |next| next - PERIOD);
    round(0, due);
    let hostile = &PROCESSES.processes()[HOSTILE];
    COUNTS[LIVES].store(hostile.restarts(), Ordering::Relaxed);
    // What it may not be just now is refused.
    let _refused = match random() >> 8 & 31 {
        _ if !hostile.status().is_active() => hostile.restart(),
        _ if hostile.is_stopped() => hostile.start(),
        0 => hostile.stop(),
        1 => hostile.terminate(),
        2..4 => hostile.restart(),
        4..24 if hostile.is_waiting() => hostile.restart(),
        _ => Ok(()),
    };
    let which = random();
    BUTTONS.changed(which as usize & 1, which & 4 != 0);
    PINS.changed(which as usize >> 4 & 7, which & 8 != 0);
    CONSOLE.receive((which >> 8) as u8);
    TEMPERATURE.read(which as i32 >> 16);
    for line in LINES {
        NVIC::pend(line);
    }
}

#[interrupt]
fn GPIOA() {
    // A process may write as much as it has memory: more than so much at a time would take too
    // long. The timer goes on with it.
    for _ in 0..4 {
        let Some(byte) = CONSOLE.next_byte() else { break };
        CONSOLE.receive(byte);
    }
}

#[interrupt]
fn GPIOB() {
    // Here as well.
    for _ in 0..4 {
        if !RANDOM.provide(&random().to_le_bytes()) {
            break;
        }
    }
}

#[interrupt]
fn GPIOC() {
    around(0x90c0_0000, || TEMPERATURE.read(2345));
}

/// The thread.
fn watch(this: &CurrentThread<'_>) {
    // Until the processes are loaded.
    let processes = PROCESSES.processes().iter();
    while processes.clone().any(|process| process.memory().end == 0) {
        this.delay(PERIOD);
    }
    this.delay(PERIOD);
    for (process, place) in PROCESSES.processes().iter().zip(&PLACES) {
        let (memory, flash) = (process.memory(), process.flash());
        let address = core::ptr::from_ref(process).addr() as u32;
        let words = [address, memory.begin, memory.end, flash.begin, flash.end];
        for (to, word) in place.iter().zip(words) {
            to.store(word, Ordering::Relaxed);
        }
    }
    watched();
    let mut ticker = Ticker::every(PERIOD);
    loop {
        let mut due = Instant::now();
        around(0x3a7c_4000, || due = ticker.next().block(this));
        round(1, due);
        assert!(PROCESSES.processes()[STEADY].status() == Status::Alive, "steady has ended");
        for word in &CANARY {
            let word = word.load(Ordering::Relaxed);
            assert!(word == 0xca4a_5717, "{word:#010x} was written over the kernel's memory");
        }
    }
}

/// Where the command begins to look: the places are known. It writes the seed then.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn watched() {
    core::hint::black_box(());
}

#[entry]
fn main() -> ! {
    let mut peripherals = cortex_m::Peripherals::take().expect("taken once");
    // SAFETY: nothing of the kernel was used before; the interrupts' priority is the kernel's; the
    // linker script leaves `flash` and `memory` to the processes.
    unsafe {
        quintet::thread::initialise();
        for line in LINES {
            peripherals.NVIC.set_priority(line, 0x20);
            NVIC::unmask(line);
        }
        Clock::start(peripherals.SYST);
        take_turns(&SLICES);
        CHAOS.start_periodic(PERIOD);
        WATCHER.start().expect("it is started once");
        PROCESSES.start(|_| ());
    }
    loop {
        cortex_m::asm::wfi();
    }
}

/// Writes a panic's message where the command finds it.
struct Message(usize);

impl Write for Message {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        for (byte, place) in text.bytes().zip(MESSAGE.iter().skip(self.0)) {
            place.store(byte, Ordering::Relaxed);
        }
        self.0 += text.len();
        Ok(())
    }
}

/// Where the command sees that something panicked.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn panicked() -> ! {
    loop {
        core::hint::black_box(());
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    cortex_m::interrupt::disable();
    let _cut = write!(Message(0), "{info}");
    panicked()
}
