//! A thread that would wait for itself is told so: an error by `try_lock`, a panic with its name by
//! `lock().block(..)`. A recursive mutex counts.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::thread_mutex::Recursive;
use quintet::sync::{CeilingMutex, InheritanceMutex, LockError, Operation};
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static HIGH, priority = 2, stack = 1024, entry = high);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

static PLAIN: InheritanceMutex<u32> = InheritanceMutex::new(0);
static CEILING: CeilingMutex<u32> = CeilingMutex::new(2, 0);
static NESTED: InheritanceMutex<(), Recursive> = InheritanceMutex::recursive(());
static BOTH: CeilingMutex<(), Recursive> = CeilingMutex::recursive(2, ());

fn low(this: &CurrentThread<'_>) {
    let ceiling = CEILING.lock().block(this);
    hprintln!("{:?}", CEILING.try_lock(this).unwrap_err());
    drop(ceiling);
    let outer = NESTED.lock().block(this);
    let inner = NESTED.lock().block(this);
    let innermost = NESTED.try_lock(this).unwrap();
    HIGH.start().unwrap();
    drop(outer);
    drop(innermost);
    hprintln!("low has it still, and is {}", LOW.priority());
    drop(inner);
    hprintln!("low is {}", LOW.priority());
    let outer = BOTH.lock().block(this);
    drop(BOTH.lock().block(this));
    hprintln!("low is {}", LOW.priority());
    drop(outer);
    hprintln!("low is {}", LOW.priority());
    let _guard = PLAIN.lock().block(this);
    assert_eq!(PLAIN.try_lock(this).unwrap_err(), LockError::Deadlock);
    let _never = PLAIN.lock().block(this);
}

fn high(this: &CurrentThread<'_>) {
    hprintln!("{}", NESTED.try_lock(this).unwrap_err());
    let _guard = NESTED.lock().block(this);
    hprintln!("high has it");
}

#[panic_handler]
fn panic(information: &::core::panic::PanicInfo<'_>) -> ! {
    hprintln!("panic: {}", information.message());
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::nop();
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    LOW.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
