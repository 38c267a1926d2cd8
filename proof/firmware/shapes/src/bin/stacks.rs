//! A device that a thread starts interrupts idle, and then a less urgent thread, where they are
//! being resumed, at the same place in many rounds. Their stacks must not grow. Judges itself.
//!
//! Where the target has floating-point registers, both use them.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicBool, Ordering};

use cortex_m::peripheral::SYST;
use cortex_m::peripheral::scb::SystemHandler;
use cortex_m::register::msp;
use cortex_m_rt::{entry, exception};
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;
use shapes::registers::{stay, stay_floating};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static STARTS, priority = 2, stack = 1024, entry = starts);
quintet::thread!(static LOWER, priority = 1, stack = 4096, entry = lower);

/// The longest time that the device takes, in steps of its own, and the longest part of one that is
/// waited for first, in cycles of a processor that takes one for each instruction: all of a switch,
/// and more.
const STEPS: u32 = 16;
const PART: u32 = 25;
/// How often it takes each time, one after the other.
const ROUNDS: u32 = 20;
/// Somebody else gets somewhere.
const LONG_ENOUGH: u32 = 2_000;
/// What stacks may hold more at one time than at another: a frame a round would be more.
const MARGIN: u32 = 512;

static DONE: Semaphore = Semaphore::binary(false);
static RUNS: AtomicBool = AtomicBool::new(false);

/// Lets the device take so many steps, and waits for it, after this part of one.
fn use_device(device: &mut SYST, (steps, part): (u32, u32), this: &CurrentThread<'_>) {
    device.set_reload(steps);
    device.clear_current();
    device.enable_interrupt();
    device.enable_counter();
    cortex_m::asm::delay(part);
    DONE.take().block(this);
}

#[exception]
fn SysTick() {
    // SAFETY: its thread doesn't use it now.
    let mut device = unsafe { cortex_m::Peripherals::steal() }.SYST;
    device.disable_counter();
    DONE.give();
}

/// How far what `used` says is ever from what it is first.
fn watch(device: &mut SYST, this: &CurrentThread<'_>, used: impl Fn() -> u32) -> u32 {
    use_device(device, (LONG_ENOUGH, 0), this);
    let first = used();
    let times = (1..=STEPS).flat_map(|steps| (1..=PART).map(move |part| (steps, part)));
    let mut most = 0;
    for time in times {
        for _ in 0..ROUNDS {
            use_device(device, time, this);
            most = most.max(used().abs_diff(first));
        }
    }
    most
}

fn starts(this: &CurrentThread<'_>) {
    // SAFETY: nobody else uses it, but its handler while this waits.
    let mut device = unsafe { cortex_m::Peripherals::steal() }.SYST;
    let idle = watch(&mut device, this, msp::read);
    assert!(idle < MARGIN, "main's stack holds {idle} bytes more");
    assert!(LOWER.start().is_ok());
    let lower = watch(&mut device, this, || LOWER.stack_high_water() as u32);
    assert!(lower < MARGIN, "the stack of `LOWER` holds {lower} bytes more");
    assert!(RUNS.load(Ordering::Relaxed));
    semihosting::process::exit(0)
}

/// Keeps its registers.
fn lower(_: &CurrentThread<'_>) {
    let mut round = 0_u32;
    loop {
        round += 1;
        stay(0x1000_0000 + round);
        stay_floating(0x1100_0000 + round);
        RUNS.store(true, Ordering::Relaxed);
    }
}

#[entry]
fn main() -> ! {
    let mut core = cortex_m::Peripherals::take().expect("once");
    // SAFETY: nothing of the kernel was used before.
    unsafe {
        quintet::thread::initialise();
        core.SCB.set_priority(SystemHandler::SysTick, 0x40);
    }
    assert!(STARTS.start().is_ok());
    let mut round = 0_u32;
    loop {
        round += 1;
        stay(0x4000_0000 + round);
        stay_floating(0x4400_0000 + round);
    }
}
