//! Threads that wait until a time, while what they wait for comes at any moment: a wait has one
//! outcome, and what came too late is still there.
#![no_std]
#![no_main]

use campaign::doors::Pair;
use campaign::spawns::{Message, Spawns};
use campaign::threads::{Counted, over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use embassy_time::{Duration, Instant};
use quintet::sync::channel::Full;
use quintet::sync::{Channel, Flags, InheritanceMutex, LockError, Operation};
use quintet::thread::{CurrentThread, Thread};

/// A tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::kernel!(hardware_priority = 0x40);
// The last two of the lines interrupt its handler.
quintet::systick_timer!(Clock, HZ, priority = 3, priority_bits = 3);

quintet::thread!(static TAKER, priority = 5, stack = 1024, entry = taker);
quintet::thread!(static RECEIVER, priority = 4, stack = 1024, entry = receiver);
quintet::thread!(static LOCKER, priority = 3, stack = 1024, entry = locker);
quintet::thread!(static DRIVER, priority = 2, stack = 1024, entry = driver);

static WAITERS: [&Thread; 3] = [&TAKER, &RECEIVER, &LOCKER];

/// How late a thread may be, in cycles: everything that runs before it, and what is injected.
const LATE_MAX: u64 = 15_000;
/// How often each thread waits.
const WAITS: u32 = 2;

static PERMITS: Counted = Counted::new();
static FLAGS: Flags = Flags::new(0);
static CHANNEL: Channel<Message, 1> = Channel::new();
static SENT: Spawns = Spawns::new();
static MUTEX: InheritanceMutex<Pair> = InheritanceMutex::new(Pair::new());
static SECTIONS: Count = Count::new();
/// By thread: waits that are over.
static ENDED: [Count; 3] = [const { Count::new() }; 3];

/// Waits until a time as `wait` does, which says whether that was up. It is then, and not before.
fn wait(which: usize, ticks: u64, wait: impl FnOnce(Instant) -> bool) {
    let deadline = Instant::now() + Duration::from_ticks(ticks);
    if wait(deadline) {
        let now = Instant::now();
        assert!(now >= deadline, "early");
        assert!((now - deadline).as_ticks() < LATE_MAX, "late");
    }
    ENDED[which].add();
}

/// Takes permits, and flags.
fn taker(this: &CurrentThread<'_>) {
    this.delay(Duration::from_ticks(10));
    for round in 0..WAITS {
        wait(0, 250 + 150 * u64::from(round), |deadline| {
            let taken = PERMITS.semaphore.take().block_until(this, deadline);
            if taken.is_ok() {
                PERMITS.note_taken();
            }
            taken.is_err()
        });
    }
    wait(0, 200, |deadline| {
        let taken = FLAGS.take_any(0b11).block_until(this, deadline);
        assert!(taken != Ok(0), "no flag was taken");
        taken.is_err()
    });
}

/// Receives messages, and sends one.
fn receiver(this: &CurrentThread<'_>) {
    for round in 0..WAITS {
        wait(1, 400 + 100 * u64::from(round), |deadline| {
            let received = CHANNEL.receive().block_until(this, deadline);
            if let Ok(message) = &received {
                SENT.start(message);
            }
            received.is_err()
        });
    }
    wait(1, 300, |deadline| {
        let sent = SENT.begin();
        match CHANNEL.send(sent.message()).block_until(this, deadline) {
            Ok(()) => sent.end(),
            Err(Full(message)) => {
                sent.refuse(&message);
                return true;
            }
        }
        false
    });
}

/// Locks a mutex that the driver has.
fn locker(this: &CurrentThread<'_>) {
    for round in 0..WAITS {
        wait(2, 500 + 300 * u64::from(round), |deadline| {
            match MUTEX.lock().block_until(this, deadline) {
                Ok(mut pair) => {
                    pair.begin();
                    pair.end();
                    SECTIONS.add();
                    false
                }
                Err(error) => {
                    assert!(error == LockError::TimedOut);
                    assert!(DRIVER.priority() == 2, "an owner has kept what it inherited");
                    true
                }
            }
        });
    }
}

fn try_send() {
    SENT.spawn(|message| CHANNEL.try_send(message).map_err(|Full(message)| message));
}

fn try_receive() {
    if let Ok(message) = CHANNEL.try_receive() {
        SENT.start(&message);
    }
}

fn driver(this: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    let mut pair = MUTEX.lock().block(this);
    pair.begin();
    for thread in WAITERS {
        assert!(thread.start().is_ok());
    }
    // What comes in time, and what doesn't: the first wait for the mutex ends in the delay.
    PERMITS.give();
    try_send();
    this.delay(Duration::from_ticks(600));
    pair.end();
    drop(pair);
    try_send();
    FLAGS.set(0b10);
    for thread in WAITERS {
        assert!(thread.join(this).is_ok());
    }
    over();
}

fn judge() {
    for ended in &ENDED[..2] {
        assert!(ended.get() == WAITS + 1, "a wait has no end, or two");
    }
    assert!(ENDED[2].get() == WAITS, "a wait has no end, or two");
    PERMITS.judge();
    try_receive();
    assert!(CHANNEL.is_empty() && CHANNEL.free_capacity() == 1, "a place is lost");
    SENT.count(0..=0);
    assert!(SECTIONS.get() <= WAITS, "a wait has two outcomes");
    assert!(!MUTEX.is_locked(), "the mutex has an owner for ever");
    assert!(DRIVER.priority() == 2, "an owner has kept what it inherited");
}

handlers! {
    GPIOA {
        PERMITS.give();
        try_send();
    }
    GPIOB {
        PERMITS.try_take();
        try_receive();
        FLAGS.set(0b01);
    }
    // A waiter that is granted something, or whose time is up, while it is suspended.
    GPIOD {
        let _running = TAKER.suspend();
        PERMITS.give();
        TAKER.resume();
    }
    // Other places among waiters.
    GPIOE {
        let priority = if RECEIVER.base_priority() == 4 { 6 } else { 4 };
        assert!(RECEIVER.set_priority(priority).is_ok());
        try_send();
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nobody else uses the peripherals.
    Clock::start(unsafe { cortex_m::Peripherals::steal() }.SYST);
    run(&[&DRIVER], judge)
}
