//! Threads, interrupts and idle that do what scripts say, and log what came of each operation.
//!
//! The harness writes `SCRIPTS` when the program has come to `ready`, pends interrupts, and reads
//! `LOG` when everything sleeps. A context executes the operations of its script in their order; an
//! interrupt one each time that it comes. What the numbers mean is written in
//! `xtask/src/specification/operation.rs`.
#![no_std]
#![no_main]

mod clock;
mod guards;
mod objects;

use campaign::lines;
use campaign::patterns::call;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering};
use cortex_m_rt::entry;
use lm3s6965::Interrupt;
use quintet::thread::{This, Thread};

use clock::Scripted;
use objects::{act, act_in_thread};

quintet::kernel!(hardware_priority = 0x40);
quintet::timer_source!(Clock, Scripted, interrupt = GPIOF);

quintet::thread!(static A, priority = 1, stack = 1024, entry = run::<0>);
quintet::thread!(static B, priority = 2, stack = 1024, entry = run::<1>);
quintet::thread!(static C, priority = 2, stack = 1024, entry = run::<2>);
quintet::thread!(static D, priority = 3, stack = 1024, entry = run::<3>);
quintet::thread!(static E, priority = 4, stack = 1024, entry = run::<4>);

static THREADS: [&Thread; 5] = [&A, &B, &C, &D, &E];

/// The contexts: five threads, idle, four interrupts, and one that comes last.
const CONTEXTS: usize = 11;
const IDLE: usize = 5;
/// The interrupt above the kernel.
const ABOVE: usize = 9;
const LENGTH: usize = 64;

/// What a wait comes to whose time was up.
const TIMED_OUT: u32 = 0x100;
/// The numbers of leaving a mutex, and the lock for readers and writers.
const UNLOCK: u32 = 18;
const LEAVE: u32 = 40;

/// Words that the harness writes or reads while nothing runs.
#[repr(transparent)]
struct Words<const N: usize>(UnsafeCell<[u32; N]>);

// SAFETY: each word has one writer.
unsafe impl<const N: usize> Sync for Words<N> {}

#[unsafe(no_mangle)]
static SCRIPTS: Words<{ CONTEXTS * LENGTH }> = Words(UnsafeCell::new([0; CONTEXTS * LENGTH]));
#[unsafe(no_mangle)]
static LOG: Words<2048> = Words(UnsafeCell::new([0; 2048]));
#[unsafe(no_mangle)]
static LOGGED: AtomicUsize = AtomicUsize::new(0);

static POSITIONS: [AtomicUsize; CONTEXTS] = [const { AtomicUsize::new(0) }; CONTEXTS];
/// Where the harness writes scripts.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn ready() {
    cortex_m::asm::nop();
}

/// The next operation of a context.
fn next(context: usize) -> u32 {
    let position = POSITIONS[context].load(Ordering::Relaxed);
    POSITIONS[context].store((position + 1).min(LENGTH - 1), Ordering::Relaxed);
    let word = SCRIPTS.0.get().cast::<u32>().wrapping_add(context * LENGTH + position);
    // SAFETY: inside the scripts.
    unsafe { word.read_volatile() }
}

/// Logs what an operation came to, and the threads' priorities. Nobody comes between the place and
/// the entry: a thread could be suspended there.
fn log(context: usize, operation: u32, result: u32) {
    cortex_m::interrupt::free(|_| {
        let position = LOGGED.load(Ordering::Relaxed).min(1023);
        LOGGED.store(position + 1, Ordering::Relaxed);
        let word = LOG.0.get().cast::<u32>().wrapping_add(2 * position);
        let priority = |thread: &&Thread| u32::from(thread.control().waiting_priority());
        let priorities = THREADS.iter().rev().map(priority);
        // Whoever interrupts a section of the kernel's lock doesn't ask.
        let all = |all, priority| all << 4 | priority;
        let priorities = if context == ABOVE { 0 } else { priorities.fold(0, all) };
        // SAFETY: inside the log, and nobody else's.
        unsafe {
            word.write_volatile((context as u32) << 24 | (operation & 0xff) << 16 | result);
            word.wrapping_add(1).write_volatile(priorities);
        }
    });
}

/// One operation of a thread, for a caller that looks at its registers.
extern "C" fn step(context: u32) {
    let word = next(context as usize);
    if word == 0 {
        return;
    }
    // SAFETY: only threads call this.
    let result = act_in_thread(&unsafe { This::new() }, context as usize, word);
    log(context as usize, word, result);
}

/// Whether the next operation is the end.
fn is_at_end(context: usize) -> bool {
    let position = POSITIONS[context].load(Ordering::Relaxed);
    let word = SCRIPTS.0.get().cast::<u32>().wrapping_add(context * LENGTH + position);
    // SAFETY: inside the scripts.
    unsafe { word.read_volatile() == 0 }
}

fn run<const CONTEXT: usize>(_: &This<'_>) {
    while !is_at_end(CONTEXT) {
        call(0x0101_0000 * (CONTEXT as u32 + 1), CONTEXT as u32, step);
    }
    // What it still has is left first.
    for mutex in 0..guards::MUTEXES {
        if !guards::unlock(CONTEXT, mutex) {
            log(CONTEXT, UNLOCK, 0);
        }
    }
    if !guards::leave(CONTEXT) {
        log(CONTEXT, LEAVE, 0);
    }
    let _end = next(CONTEXT);
    log(CONTEXT, 0, 0);
}

/// One operation, if there is one.
fn once(context: usize) -> bool {
    let word = next(context);
    if word != 0 {
        log(context, word, act(word));
    }
    word != 0
}

campaign::handlers! {
    GPIOA {
        let _acted = once(6);
    }
    GPIOB {
        let _acted = once(7);
    }
    GPIOC {
        let _acted = once(8);
    }
    ADC0_SEQUENCE_0 {
        let _acted = once(9);
    }
    // The last of all.
    GPIOD {
        while once(10) {}
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    for (line, priority) in [
        (Interrupt::GPIOA, 0xc0),
        (Interrupt::GPIOB, 0x80),
        (Interrupt::GPIOC, 0x40),
        (Interrupt::ADC0_SEQUENCE_0, 0x00),
        (Interrupt::GPIOD, 0xc0),
    ] {
        lines::enable(line, priority);
    }
    // SAFETY: nobody else starts it, and it has no hardware.
    unsafe { Clock::start() };
    ready();
    while once(IDLE) {}
    loop {
        cortex_m::asm::wfi();
    }
}
