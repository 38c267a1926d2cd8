//! A device that a thread starts interrupts at the same place each time: while idle, or a less
//! urgent thread, is being resumed. Their stacks hold the same in each round, wherever that place
//! is.
#![no_std]
#![no_main]

use core::ptr::without_provenance_mut;
use portable_atomic::{AtomicU32, Ordering};

use cortex_m::register::msp;
use cortex_m_rt::{entry, exception};
use lm3s6965 as _;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting::println;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static STARTS, priority = 2, stack = 1024, entry = starts);
quintet::thread!(static COUNTS, priority = 1, stack = 2048, entry = counts);

static DONE: Semaphore = Semaphore::new(0);
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The longest time that the device takes, in cycles: all of a switch, and more.
const LONGEST: u32 = 260;
const LONG_ENOUGH: u32 = 5_000;
const ROUNDS: u32 = 12;

const SYST_CSR: *mut u32 = without_provenance_mut(0xe000_e010);
const SYST_RVR: *mut u32 = without_provenance_mut(0xe000_e014);
const SYST_CVR: *mut u32 = without_provenance_mut(0xe000_e018);
const SHPR3: *mut u32 = without_provenance_mut(0xe000_ed20);

/// Lets the device take so many cycles, and waits for it.
fn use_device(cycles: u32, this: &CurrentThread<'_>) {
    // SAFETY: nobody else uses SysTick.
    unsafe {
        SYST_RVR.write_volatile(cycles);
        SYST_CVR.write_volatile(0);
        SYST_CSR.write_volatile(7);
    }
    DONE.take().block(this);
}

#[exception]
fn SysTick() {
    // SAFETY: nobody else uses it now.
    unsafe { SYST_CSR.write_volatile(0) };
    DONE.give();
}

/// How far what `at` says is ever from what it says once whoever runs meanwhile is in its loop, for
/// all times of the device.
fn watch(this: &CurrentThread<'_>, at: impl Fn() -> u32) -> u32 {
    use_device(LONG_ENOUGH, this);
    let first = at();
    let mut most = 0;
    for cycles in 1..=LONGEST {
        for _ in 0..ROUNDS {
            use_device(cycles, this);
            most = most.max(at().abs_diff(first));
        }
    }
    most
}

fn starts(this: &CurrentThread<'_>) {
    let idle = watch(this, msp::read);
    println!("main's stack is where it was: {}", idle == 0);
    COUNTS.start().expect("it has not begun");
    // While it is being resumed it may be interrupted a frame and its registers deeper.
    let more = watch(this, || COUNTS.stack_high_water() as u32);
    println!("the stack of a thread holds a frame more at most: {}", more <= 72);
    // An emulator whose device keeps the host's time may have let it do little so far.
    let ran = || COUNT.load(Ordering::Relaxed) > 100;
    for _ in 0..1_000 {
        if ran() {
            break;
        }
        use_device(LONG_ENOUGH, this);
    }
    println!("it ran: {}", ran());
    semihosting::process::exit(0)
}

/// Its registers hold what it has put there, whenever it is interrupted.
fn counts(_: &CurrentThread<'_>) {
    let mut values = [1_u32, 2, 3, 4, 5, 6, 7, 8];
    loop {
        for (value, first) in values.iter_mut().zip(1..) {
            *value += 8;
            assert!((*value - first) % 8 == 0, "{values:?}");
        }
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    // SAFETY: SysTick's priority is the kernel's ceiling; PendSV keeps its own.
    unsafe { SHPR3.write_volatile(SHPR3.read_volatile() & 0x00ff_ffff | 0x2000_0000) };
    STARTS.start().expect("it has not begun");
    loop {
        cortex_m::asm::wfi();
    }
}
