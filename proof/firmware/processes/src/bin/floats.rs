//! Processes in a kernel that uses all floating-point registers itself: in a thread beside them, in
//! interrupts, and in calls. None of that may reach a process, nor get lost by one.
#![no_std]
#![no_main]

use core::arch::naked_asm;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use lm3s6965::{Interrupt, interrupt};
use quintet::process::alarm::Alarm;
use quintet::process::console::Console;
use quintet::process::{
    Answer, Client, Clients, Driver, ErrorCode, Fault, Policy, Process, Slots, Status,
};
use quintet::thread::{CurrentThread, Slice, take_turns};
use quintet::time::{Duration, SoftwareTimer};
use semihosting::{print, println};

/// The processor's clock.
const HZ: u32 = 12_000_000;
/// Where flash and memory begin.
const FLASH: u32 = if cfg!(feature = "an505") { 0x1000_0000 } else { 0 };
const MEMORY: u32 = if cfg!(feature = "an505") { 0x3800_0000 } else { 0x2000_0000 };
/// How many processes there can be.
const COUNT: usize = 4;

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, HZ);
quintet::thread!(static BESIDE, priority = 2, stack = 1024, entry = beside);

static ALARM: Alarm<COUNT> = Alarm::new();
static CONSOLE: Console<COUNT> = Console::new(|| NVIC::pend(Interrupt::GPIOA));
static DIRT: Dirt<COUNT> = Dirt { clients: Clients::new([(); COUNT]) };
static INTERRUPTS: SoftwareTimer = SoftwareTimer::new(interrupted);
static SLICES: [Slice; 1] = [Slice::new(2, Duration::from_micros(700))];
/// Whether interrupts use the registers with all others held off.
static HELD_OFF: AtomicBool = AtomicBool::new(false);
/// How often the thread has looked.
static ROUNDS: AtomicU32 = AtomicU32::new(0);

quintet::processes!(
    static PROCESSES,
    count = COUNT,
    priority = 2,
    flash = FLASH + 0x2_0000..FLASH + 0x4_0000,
    memory = MEMORY + 0x4000..MEMORY + 0x1_0000,
    drivers = [&ALARM, &CONSOLE, &DIRT],
    on_fault = on_fault,
);

/// Fills all registers and FPSCR, stays for so many turns, and looks at them: 0 if all are as they
/// were. What a call preserves is put back.
#[unsafe(naked)]
extern "C" fn fill(_seed: u32, _turns: u32) -> u32 {
    naked_asm!(
        "vpush {{s16-s31}}",
        "mov r2, #0x00400000",
        "vmsr FPSCR, r2",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov s\\number, r0",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov s\\number, r0",
        ".endr",
        "2:",
        "subs r1, #1",
        "bpl 2b",
        "vmrs r1, FPSCR",
        "eors r1, r2",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov r2, s\\number",
        "eors r2, r0",
        "orrs r1, r2",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov r2, s\\number",
        "eors r2, r0",
        "orrs r1, r2",
        ".endr",
        "vpop {{s16-s31}}",
        "mov r0, r1",
        "bx lr",
    )
}

/// Fills the registers, and says if they have changed meanwhile.
fn use_all(seed: u32, turns: u32) {
    let wrong = fill(seed, turns);
    assert!(wrong == 0, "other floating-point registers in the kernel: {seed:#x} {wrong:#x}");
}

/// Uses the registers by turns with the processes.
fn beside(this: &CurrentThread<'_>) {
    loop {
        let round = ROUNDS.fetch_add(1, Ordering::Relaxed);
        use_all(0xbe51_de00 | round & 0xff, round % 900);
        if round.is_multiple_of(4) {
            this.yield_now();
        }
        if round.is_multiple_of(7) {
            this.delay(Duration::from_micros(300));
        }
    }
}

/// Interrupts whoever runs, and uses the registers.
fn interrupted(_: &'static SoftwareTimer) {
    if HELD_OFF.load(Ordering::Relaxed) {
        cortex_m::interrupt::free(|_| use_all(0x1a1a_0000, 3));
    } else {
        use_all(0x1a1a_0000, 3);
    }
    let mut all = PROCESSES.processes().iter().map(Process::status);
    // Before they have begun all are empty.
    if all.clone().any(|status| status != Status::Empty) && !all.any(Status::is_active) {
        end();
    }
}

/// Uses the registers in the calls of processes.
struct Dirt<const N: usize> {
    clients: Clients<N, (), 0>,
}

impl<const N: usize> Driver for Dirt<N> {
    const NUMBER: u32 = 0x8000_0004;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
        match command {
            1 => {
                use_all(0xd127_d127, 1);
                NVIC::pend(Interrupt::GPIOB);
                Answer::Success
            }
            2 => Answer::Word(PROCESSES.processes()[client.index()].restarts()),
            3 => {
                println!("process {}: {first} with {second:#x}", client.index());
                Answer::Success
            }
            4 => {
                HELD_OFF.store(true, Ordering::Relaxed);
                Answer::Success
            }
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }
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

/// In the middle of a call.
#[interrupt]
fn GPIOB() {
    use_all(0x0b0b_0b0b, 2);
}

#[entry]
fn main() -> ! {
    let mut peripherals = cortex_m::Peripherals::take().expect("taken once");
    // SAFETY: nothing of the kernel was used before; the interrupt's priority is the kernel's.
    unsafe {
        quintet::thread::initialise();
        for line in [Interrupt::GPIOA, Interrupt::GPIOB] {
            peripherals.NVIC.set_priority(line, 0x20);
            NVIC::unmask(line);
        }
        Clock::start(peripherals.SYST);
        take_turns(&SLICES);
        INTERRUPTS.start_periodic(Duration::from_micros(130));
        BESIDE.start().expect("it is started once");
        PROCESSES.start(|found| println!("{found}"));
    }
    loop {
        use_all(0x1d1e_0000, 50);
    }
}

/// Says how each stands, and ends.
fn end() -> ! {
    for process in PROCESSES.processes() {
        if process.status() != Status::Empty {
            println!("{} ends as {:?}", process.name(), process.status());
        }
    }
    println!("the thread has run: {}", ROUNDS.load(Ordering::Relaxed) > 50);
    semihosting::process::exit(0)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    println!("{info}");
    semihosting::process::exit(1)
}
