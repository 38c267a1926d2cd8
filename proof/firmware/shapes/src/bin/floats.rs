//! Threads, idle and interrupts that all use all floating-point registers, which judge themselves.
//!
//! Two threads pass the processor to each other, and to a third one that uses no floating point
//! until the test is half over. SysTick suspends who runs, so that another one goes on that was
//! preempted as well, and preempts at another place each time: for a thread that ends, with such
//! state or without, for one more urgent than that, and for itself and an interrupt above the
//! kernel's ceiling, which both use the registers. Idle runs when all are suspended.
#![no_std]
#![no_main]

use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::scb::SystemHandler;
use cortex_m::peripheral::{NVIC, SYST};
use cortex_m_rt::{entry, exception};
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;
use semihosting as _;
use shapes::device::Interrupt;
use shapes::floats::{across, enable, stay};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static FIRST, priority = 1, stack = 2048, entry = first);
quintet::thread!(static SECOND, priority = 1, stack = 2048, entry = second);
quintet::thread!(static LATE, priority = 1, stack = 2048, entry = late);
quintet::thread!(static BRIEF, priority = 2, stack = 2048, entry = brief);
quintet::thread!(static URGENT, priority = 3, stack = 2048, entry = urgent);

/// How often SysTick interrupts until the test ends.
const INTERRUPTS: u32 = 8000;

static TICK: Semaphore = Semaphore::binary(false);
static PAUSE: Semaphore = Semaphore::binary(false);
static TICKS: AtomicU32 = AtomicU32::new(0);
/// Rounds of each thread, of idle, and of the interrupt above the ceiling.
static ROUNDS: [AtomicU32; 7] = [const { AtomicU32::new(0) }; 7];

/// The next round, and a pattern that nobody else has now.
fn count(who: usize) -> (u32, u32) {
    let round = ROUNDS[who].load(Ordering::Relaxed) + 1;
    ROUNDS[who].store(round, Ordering::Relaxed);
    (round, (who as u32) << 28 | round.wrapping_mul(0x9e37) & 0x0fff_ff00 | round & 0xff)
}

extern "C" fn yields(this: &CurrentThread<'_>) {
    this.yield_now();
}

extern "C" fn pauses(this: &CurrentThread<'_>) {
    PAUSE.take().block(this);
}

extern "C" fn waits(this: &CurrentThread<'_>) {
    TICK.take().block(this);
}

fn first(this: &CurrentThread<'_>) {
    loop {
        let (round, seed) = count(0);
        stay(seed, 30);
        across(seed, yields, this);
        if round.is_multiple_of(16) {
            across(seed, pauses, this);
        }
    }
}

fn second(this: &CurrentThread<'_>) {
    loop {
        let (_, seed) = count(1);
        stay(seed, 7);
        across(seed, yields, this);
    }
}

fn late(this: &CurrentThread<'_>) {
    loop {
        let (round, seed) = count(2);
        if TICKS.load(Ordering::Relaxed) > INTERRUPTS / 2 && round.is_multiple_of(3) {
            stay(seed, 20);
            across(seed, yields, this);
        } else {
            cortex_m::asm::delay(300);
            yields(this);
        }
    }
}

fn brief(_: &CurrentThread<'_>) {
    let (round, seed) = count(3);
    cortex_m::asm::delay(1000);
    if round & 1 == 0 {
        stay(seed, 9);
    }
}

fn urgent(this: &CurrentThread<'_>) {
    loop {
        let (round, seed) = count(4);
        if round.is_multiple_of(3) {
            waits(this);
        } else {
            across(seed, waits, this);
            stay(seed, 3);
        }
        PAUSE.give();
        for thread in [&FIRST, &SECOND, &LATE] {
            if round % 8 == 0 {
                // Now and then all others are away, and idle runs.
                let _ = thread.suspend();
            } else if round % 8 == 2 {
                thread.resume();
            }
        }
    }
}

#[exception]
fn SysTick() {
    static mut RANDOM: Cell<u32> = Cell::new(0x1234_5679);
    let ticks = TICKS.load(Ordering::Relaxed) + 1;
    TICKS.store(ticks, Ordering::Relaxed);
    let mut random = RANDOM.get();
    for (left, shift) in [(true, 13), (false, 17), (true, 5)] {
        random ^= if left { random << shift } else { random >> shift };
    }
    RANDOM.set(random);
    // SAFETY: it is this handler's.
    let mut device = unsafe { cortex_m::Peripherals::steal() }.SYST;
    device.set_reload(3000 + random % 2000);
    if random & 1 << 20 != 0 {
        stay(0x7000_0000 + ticks, 5);
    }
    if random & 3 << 22 != 0 {
        TICK.give();
    } else {
        let _ = BRIEF.start();
    }
    // One of them is away for some time: at once, if it runs, and another one goes on.
    for (number, thread) in (0..).zip([&FIRST, &SECOND, &LATE, &BRIEF]) {
        if random >> 24 & 7 == number {
            let _ = thread.suspend();
        } else if random >> 24 & 7 != 7 {
            thread.resume();
        }
    }
    if random & 1 << 21 != 0 {
        stay(0x7800_0000 + ticks, 5);
    }
    if random & 1 << 19 != 0 {
        NVIC::pend(Interrupt::LINE0);
    }
}

/// Above the kernel's ceiling.
#[unsafe(no_mangle)]
extern "C" fn LINE0() {
    stay(count(6).1, 2);
}

/// Starts SysTick and what comes above it.
fn start_interrupts(device: &mut SYST) {
    device.set_reload(1997);
    device.clear_current();
    device.enable_interrupt();
    device.enable_counter();
}

#[entry]
fn main() -> ! {
    let mut core = cortex_m::Peripherals::take().expect("once");
    // SAFETY: nothing of the kernel was used before, nor floating point; no section relies on the
    // interrupt.
    unsafe {
        enable();
        quintet::thread::initialise();
        core.SCB.set_priority(SystemHandler::SysTick, 0x80);
        core.NVIC.set_priority(Interrupt::LINE0, 0x20);
        NVIC::unmask(Interrupt::LINE0);
    }
    start_interrupts(&mut core.SYST);
    for thread in [&URGENT, &FIRST, &SECOND, &LATE] {
        assert!(thread.start().is_ok());
    }
    while TICKS.load(Ordering::Relaxed) < INTERRUPTS {
        let (round, seed) = count(5);
        if round & 64 == 0 {
            stay(seed, 11);
        }
    }
    let rounds = [0, 1, 2, 3, 4, 5, 6].map(|who: usize| ROUNDS[who].load(Ordering::Relaxed));
    assert!(rounds.iter().all(|rounds| *rounds > INTERRUPTS / 8), "{rounds:?}");
    semihosting::process::exit(0)
}
