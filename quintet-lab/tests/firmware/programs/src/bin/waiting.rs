//! Threads that wait for all kinds of things, when another one ends the program.
#![no_std]
#![no_main]

use quintet::sync::{Channel, Condvar, InheritanceMutex, Operation, Semaphore, ThreadFlags};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static CONDITIONAL, priority = 12, stack = 512, entry = conditional);
quintet::thread!(static ELEMENT, priority = 11, stack = 512, entry = element);
quintet::thread!(static FIELD, priority = 10, stack = 512, entry = field);
quintet::thread!(static OWNER, priority = 9, stack = 512, entry = owner);
quintet::thread!(static LOCKER, priority = 8, stack = 512, entry = locker);
quintet::thread!(static TAKER, priority = 7, stack = 512, entry = taker);
quintet::thread!(static SENDER, priority = 6, stack = 512, entry = sender);
quintet::thread!(static FLAGGED, priority = 5, stack = 512, entry = flagged);
quintet::thread!(static PARKED, priority = 4, stack = 512, entry = parked);
quintet::thread!(static JOINER, priority = 3, stack = 512, entry = joiner);
quintet::thread!(static LOCAL, priority = 2, stack = 512, entry = local);
quintet::thread!(static LAST, priority = 1, stack = 512, entry = last);

static NEVER: Semaphore = Semaphore::new(0);
static TABLE: InheritanceMutex<u32> = InheritanceMutex::new(0);
static QUEUE: Channel<u64, 1> = Channel::new();
static EVENTS: ThreadFlags = ThreadFlags::new();
static CHANGED: Condvar = Condvar::new();
static LINES: [Channel<u8, 2>; 3] = [const { Channel::new() }; 3];
static PORT: Port = Port { opened: Semaphore::new(0), closed: (7, Semaphore::new(0)) };

struct Port {
    opened: Semaphore,
    closed: (u32, Semaphore),
}

fn conditional(this: &CurrentThread<'_>) {
    static VALUE: InheritanceMutex<u32> = InheritanceMutex::new(0);
    let value = VALUE.lock().block(this);
    let _ = CHANGED.wait(value).block(this);
}

fn element(this: &CurrentThread<'_>) {
    let _ = LINES[1].receive().block(this);
}

fn field(this: &CurrentThread<'_>) {
    PORT.closed.1.take().block(this);
    PORT.opened.take().block(this);
}

fn owner(this: &CurrentThread<'_>) {
    let _table = TABLE.lock().block(this);
    NEVER.take().block(this);
}

fn locker(this: &CurrentThread<'_>) {
    *TABLE.lock().block(this) += 1;
}

fn taker(this: &CurrentThread<'_>) {
    NEVER.take().block(this);
}

fn sender(this: &CurrentThread<'_>) {
    for number in 0..2 {
        QUEUE.send(number).block(this);
    }
}

fn flagged(this: &CurrentThread<'_>) {
    if let Ok(events) = EVENTS.own(this) {
        events.take_any(1).block(this);
    }
}

fn parked(this: &CurrentThread<'_>) {
    this.park();
}

fn joiner(this: &CurrentThread<'_>) {
    let _ = TAKER.join(this);
}

/// It can't be granted anything, by nobody.
fn local(this: &CurrentThread<'_>) {
    let nobody_knows = Semaphore::new(0);
    nobody_knows.take().block(this);
}

fn last(_: &CurrentThread<'_>) {
    semihosting::process::exit(0)
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    for thread in [&CONDITIONAL, &ELEMENT, &FIELD] {
        thread.start().unwrap();
    }
    for thread in [&OWNER, &LOCKER, &TAKER, &SENDER, &FLAGGED, &PARKED, &JOINER, &LOCAL, &LAST] {
        thread.start().unwrap();
    }
    loop {
        cortex_m::asm::wfi();
    }
}
