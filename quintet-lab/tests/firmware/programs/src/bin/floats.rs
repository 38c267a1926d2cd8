//! Threads, a handler and idle that compute with floating point. Built for a target with registers
//! for that, all of them have such a state, and frames are long.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting::println;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static WORKER, priority = 5, stack = 1024, entry = worker);
quintet::thread!(static BUSY, priority = 1, stack = 1024, entry = busy);

static WORK: Semaphore = Semaphore::new(0);
/// The bits of a number that only the handler uses.
static LEVEL: AtomicU32 = AtomicU32::new(0);

/// How often the worker works.
const ROUNDS: u32 = 10;

/// Four numbers live at once, and the sum of what becomes of them.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn work(start: f32) -> f32 {
    let mut numbers = [start, start + 1.0, start + 2.0, start + 3.0];
    for _ in 0..10 {
        for number in &mut numbers {
            *number = black_box(*number * 0.5 + 1.0);
        }
    }
    numbers.iter().sum()
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn window_begin() {
    black_box(());
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn window_end() {
    black_box(());
}

/// Works as often as the handler says, and ends the program.
fn worker(this: &CurrentThread<'_>) {
    let expected = work(4.0);
    for _ in 0..ROUNDS {
        WORK.take().block(this);
        if work(4.0) != expected {
            println!("the worker computes {} instead of {expected}", work(4.0));
            semihosting::process::exit(1);
        }
    }
    println!("{expected} is what each of {ROUNDS} rounds computes");
    semihosting::process::exit(0)
}

/// Computes without an end; once between the marks.
fn busy(_: &CurrentThread<'_>) {
    let expected = work(1.0);
    window_begin();
    judge(work(1.0), expected);
    window_end();
    loop {
        judge(work(1.0), expected);
    }
}

fn judge(found: f32, expected: f32) {
    if found != expected {
        println!("the busy thread computes {found} instead of {expected}");
        semihosting::process::exit(2);
    }
}

/// Computes with the bits of a number: all instructions that use registers for it are here.
#[inline(never)]
fn raised(level: u32, by: u8) -> u32 {
    black_box(f32::from_bits(black_box(level)) + f32::from(by)).to_bits()
}

/// Holds interrupts off while it computes: the first of the two in a handler has to store the
/// registers of what the handler has interrupted.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn first_masked(level: u32) -> u32 {
    cortex_m::interrupt::free(|_| raised(level, 1))
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn second_masked(level: u32) -> u32 {
    cortex_m::interrupt::free(|_| raised(level, 2))
}

#[cortex_m_rt::exception]
fn SysTick() {
    let level = second_masked(first_masked(LEVEL.load(Ordering::Relaxed)));
    LEVEL.store(level, Ordering::Relaxed);
    WORK.give();
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut peripherals = cortex_m::Peripherals::take().unwrap();
    // SAFETY: nothing of the kernel was used before, and SysTick's priority is below the ceiling.
    unsafe {
        quintet::thread::initialise();
        peripherals.SCB.set_priority(cortex_m::peripheral::scb::SystemHandler::SysTick, 0x40);
    }
    black_box(work(2.0));
    start_ticking(&mut peripherals.SYST);
    for thread in [&WORKER, &BUSY] {
        thread.start().unwrap();
    }
    loop {
        cortex_m::asm::wfi();
    }
}

fn start_ticking(timer: &mut SYST) {
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(9_999);
    timer.clear_current();
    timer.enable_counter();
    timer.enable_interrupt();
}
