//! What the kernels of the tests share: the marks at which the test begins and ends to interrupt,
//! the timer by which it does, and the driver of their processes.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use quintet::process::{Answer, Client, Clients, Driver, ErrorCode, Slots};
use quintet::riscv::Interrupt;

/// The timer's interrupt comes while `mtime` isn't below this.
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;
/// The time, in ticks.
const MTIME: *const u32 = 0x0200_bff8 as *const u32;
/// So many ticks ahead the timer is armed; the test lets them pass at once.
const FAR: u32 = 1 << 20;
/// The bit of the timer in `mie`.
const MTIE: u32 = 1 << 7;

/// How often each task has run; the test reads it.
#[unsafe(no_mangle)]
pub static RUNS: [AtomicU32; 4] = [const { AtomicU32::new(0) }; 4];
/// Which tasks the timer's handler pends; the test sets a byte before it lets the timer's interrupt
/// come.
#[unsafe(no_mangle)]
static PENDS: [AtomicBool; 4] = [const { AtomicBool::new(false) }; 4];
/// The number that the process gets. The test writes it into the flash.
#[unsafe(no_mangle)]
static NUMBER: u32 = 0;

/// From here on the test interrupts.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn begin() {
    // SAFETY: it does nothing.
    unsafe { core::arch::asm!("nop") };
}

/// From here on it doesn't.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn end() {
    // SAFETY: it does nothing.
    unsafe { core::arch::asm!("nop; nop") };
}

/// Counts up: each number is written by one context.
pub fn count(number: &AtomicU32) {
    number.store(number.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Arms the timer, and lets its interrupt come.
pub fn begin_timer() {
    arm();
    // SAFETY: the handler may run as soon as interrupts come.
    unsafe { core::arch::asm!("csrs mie, {}", in(reg) MTIE) };
}

fn arm() {
    // SAFETY: nobody else uses the timer.
    unsafe {
        MTIMECMP.write_volatile(MTIME.read_volatile() + FAR);
        MTIMECMP.add(1).write_volatile(0);
    }
}

/// The handler of the timer, which no task binds.
#[unsafe(no_mangle)]
extern "C" fn MachineTimer() {
    arm();
    let tasks = [Interrupt::SOFTWARE1, Interrupt::SOFTWARE2, Interrupt::SOFTWARE3];
    for (pends, task) in PENDS[1..].iter().zip(tasks) {
        if pends.load(Ordering::Relaxed) {
            pends.store(false, Ordering::Relaxed);
            quintet::pend(task);
        }
    }
}

/// The driver.
pub struct Judge {
    pub clients: Clients<2, (), 1, 1, 1>,
    /// How many upcalls the other process has counted.
    pub counted: AtomicU32,
}

impl Judge {
    pub const fn new() -> Self {
        Self { clients: Clients::new([(); 2]), counted: AtomicU32::new(0) }
    }
}

impl Driver for Judge {
    const NUMBER: u32 = 0x8000_0001;
    const PLACES: usize = 2;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, _: u32, _: u32) -> Answer {
        match command {
            // SAFETY: a static.
            1 => return Answer::Word(unsafe { (&raw const NUMBER).read_volatile() }),
            2 => begin(),
            3 => end(),
            4 => return client.upcall(0, [1, 2, 3]).into(),
            5 => count(&self.counted),
            6 => self.clients.note(client),
            _ => return Answer::Failure(ErrorCode::NoSupport),
        }
        Answer::Success
    }
}
