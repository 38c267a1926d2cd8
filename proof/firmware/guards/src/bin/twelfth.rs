//! More threads than a memory protection unit has regions, each of which uses most of its stack in
//! turn, woken by another, by an interrupt and by the end of another; then that of the last one
//! overflows.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::panic::PanicInfo;

use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use lm3s6965::{Interrupt, interrupt};
use quintet::sync::{Operation, Semaphore};
use quintet::thread::{CurrentThread, Thread, current_name};
use semihosting::println;

#[cfg(not(feature = "unguarded"))]
quintet::kernel!(hardware_priority = 0x20);
#[cfg(feature = "unguarded")]
quintet::kernel!(hardware_priority = 0x20, stack_guard = false);

macro_rules! threads {
    ($($name:ident $priority:literal),* $(,)?) => {
        $(quintet::thread!(static $name, priority = $priority, stack = 512, entry = take_turns);)*
        /// All but the one that overflows, whose stack lies anywhere among theirs.
        static THREADS: &[&Thread] = &[$(&$name),*];
    };
}

threads! {
    A 12, B 11, C 10, D 9, E 8, F 7, G 6, H 5, I 5, J 4, K 4,
}
quintet::thread!(static DEEP, priority = 3, stack = 512, entry = overflow);

static TURN: Semaphore = Semaphore::new(0);
static DEEPER: Semaphore = Semaphore::new(0);

/// What a thread may use of its stack, in calls: all but what an interrupt takes.
const DEPTH: u32 = 6;

fn take_turns(this: &CurrentThread<'_>) {
    for _ in 0..2 {
        TURN.take().block(this);
        assert_eq!(descend(black_box(DEPTH)), DEPTH);
        this.yield_now();
    }
}

/// Gives to the next, with most of the stack in use.
#[inline(never)]
fn descend(calls: u32) -> u32 {
    let words = black_box([calls; 4]);
    if calls == 0 {
        TURN.give();
        NVIC::pend(Interrupt::GPIOA);
        0
    } else {
        words[3].min(1) + descend(calls - 1)
    }
}

#[interrupt]
fn GPIOA() {
    TURN.give();
}

fn overflow(this: &CurrentThread<'_>) {
    for thread in THREADS {
        assert!(!thread.is_alive(), "{} has ended", thread.name());
    }
    println!("all have ended");
    let used = this.thread().stack_high_water();
    println!("{} has used less than its stack: {}", this.name(), used < 512 - 32);
    DEEPER.give();
    println!("{}", sum(black_box(1000)));
}

#[inline(never)]
fn sum(number: u32) -> u32 {
    let words = black_box([number; 4]);
    if number == 0 { 0 } else { words[3] + sum(number - 1) }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    let mut nvic = cortex_m::Peripherals::take().expect("taken once").NVIC;
    // SAFETY: the priority is the kernel's ceiling.
    unsafe {
        nvic.set_priority(Interrupt::GPIOA, 0x20);
        NVIC::unmask(Interrupt::GPIOA);
    }
    for thread in THREADS {
        thread.start().expect("it has not begun");
    }
    TURN.give();
    DEEP.start().expect("it has not begun");
    loop {
        cortex_m::asm::wfi();
    }
}

#[panic_handler]
fn panic(information: &PanicInfo<'_>) -> ! {
    println!("{}, panics: {}", current_name(), information.message());
    semihosting::process::exit(0)
}
