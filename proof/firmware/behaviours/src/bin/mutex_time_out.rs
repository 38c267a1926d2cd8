//! Whoever waits for a mutex until a time gives back what its owner has inherited, and its place; a
//! condition variable tells a time that is up from a notification, and locks the mutex in both.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Condvar, InheritanceMutex, LockError, NotNotified, Operation};
use quintet::thread::CurrentThread;
use quintet::time::Duration;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, 12_000_000);

quintet::thread!(static HIGH, priority = 3, stack = 1024, entry = high);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

static MUTEX: InheritanceMutex<u32> = InheritanceMutex::new(0);
static CHANGED: Condvar = Condvar::new();

const SHORT: Duration = Duration::from_micros(500);
const LONG: Duration = Duration::from_millis(50);

fn low(this: &CurrentThread<'_>) {
    let guard = MUTEX.lock().block(this);
    HIGH.start().unwrap();
    hprintln!("low is {}", LOW.priority());
    while LOW.priority() != 1 {}
    hprintln!("low is {} again, and has the mutex", LOW.priority());
    // 1. `high` was told that the time was up, and waits once more, for longer.
    this.delay(SHORT);
    hprintln!("low is {}", LOW.priority());
    drop(guard);
    // 2. `high` has had it, and waits for a change, too short and then long enough.
    this.delay(SHORT + SHORT);
    *MUTEX.lock().block(this) += 1;
    CHANGED.notify_all();
    HIGH.join(this).unwrap();
    hprintln!("joined, {}", *MUTEX.lock().block(this));
    debug::exit(debug::EXIT_SUCCESS);
}

fn high(this: &CurrentThread<'_>) {
    assert_eq!(MUTEX.lock().block_for(this, SHORT).unwrap_err(), LockError::TimedOut);
    hprintln!("high gave up");
    this.delay(Duration::from_micros(200));
    let guard = MUTEX.lock().block_for(this, LONG).unwrap();
    hprintln!("high has it");
    let NotNotified(guard) = CHANGED.wait(guard).block_for(this, SHORT).unwrap_err();
    assert_eq!(*guard, 0);
    let mut guard = CHANGED.wait(guard).block_for(this, LONG).unwrap();
    assert_eq!(*guard, 1);
    *guard += 1;
    hprintln!("high was notified");
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before, and the peripherals by nobody.
    let core = unsafe {
        quintet::thread::initialise();
        cortex_m::Peripherals::steal()
    };
    Clock::start(core.SYST);
    LOW.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
