//! Threads wait for every object until a time: what comes in time is taken, what doesn't is not;
//! and whatever the timing, nothing is lost and nothing is taken twice.
#![no_std]
#![no_main]

use portable_atomic::{AtomicU32, Ordering};

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Channel, Flags, Full, Inbox, Operation, Semaphore, Signal, TimedOut};
use quintet::thread::CurrentThread;
use quintet::time::{Duration, Instant, Ticker};
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, 12_000_000);

quintet::thread!(static WAITER, priority = 3, stack = 2048, entry = waiter);
quintet::thread!(static RACER, priority = 3, stack = 1024, entry = racer);
quintet::thread!(static MAIN, priority = 1, stack = 2048, entry = main_thread);

static SEMAPHORE: Semaphore = Semaphore::new(0);
static CHANNEL: Channel<u32, 1> = Channel::new();
static SIGNAL: Signal<u8> = Signal::new();
static FLAGS: Flags = Flags::new(0);
static EVENTS: Inbox<u8, 2> = Inbox::new("events");
static RACED: Semaphore = Semaphore::new(0);

/// How long the waits that nobody ends take.
const SHORT: Duration = Duration::from_micros(300);
/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(1);
/// The rounds of the race.
const ROUNDS: u32 = 400;

static TAKEN: AtomicU32 = AtomicU32::new(0);
static TIMED_OUT: AtomicU32 = AtomicU32::new(0);
/// When the race's wait is to end.
static END: Signal<Instant> = Signal::new();

fn waiter(this: &CurrentThread<'_>) {
    let begin = Instant::now();
    assert_eq!(SEMAPHORE.take().block_for(this, SHORT), Err(TimedOut));
    assert_eq!(CHANNEL.receive().block_for(this, SHORT), Err(TimedOut));
    assert_eq!(SIGNAL.wait().block_for(this, SHORT), Err(TimedOut));
    assert_eq!(FLAGS.take_all(0b11).block_for(this, SHORT), Err(TimedOut));
    CHANNEL.send(1).block(this);
    assert!(CHANNEL.send(2).block_for(this, SHORT) == Err(Full(2)));
    let took = Instant::now() - begin;
    // An emulator's clock goes on while its host is busy, so the upper bound is a wide one.
    hprintln!("five ended in time: {}", SHORT * 5 <= took && took < LONG);
    // What is there is taken, whatever the time is.
    assert_eq!(CHANNEL.receive().block_until(this, begin), Ok(1));
    assert_eq!(CHANNEL.receive().block_until(this, begin), Err(TimedOut));
    hprintln!("a time that has passed: only what is there");

    assert!(SEMAPHORE.acquire().block_for(this, LONG).map(|permit| permit.forget()).is_ok());
    assert_eq!(CHANNEL.receive().block_for(this, LONG), Ok(3));
    assert_eq!(SIGNAL.wait().block_for(this, LONG), Ok(4));
    assert_eq!(FLAGS.take_any(0b11).block_for(this, LONG), Ok(0b10));
    hprintln!("four came in time, and none is left: {}", SEMAPHORE.available() == 0);
    of_events_and_ticks(this);
}

/// What waits in a loop, and what waits for a time of its own.
fn of_events_and_ticks(this: &CurrentThread<'_>) {
    let begin = Instant::now();
    assert_eq!(EVENTS.next().block_until(this, begin), Err(TimedOut));
    assert_eq!(EVENTS.next().block_for(this, SHORT), Err(TimedOut));
    EVENTS.post(5);
    assert_eq!(EVENTS.next().block_until(this, begin), Ok(5));
    // The signal of an event that was taken at once is still there, and is no event.
    assert_eq!(EVENTS.next().block_for(this, SHORT), Err(TimedOut));
    hprintln!("an event, or none in time: {}", Instant::now() >= begin + SHORT * 2);

    let tick = Instant::now() + SHORT;
    let mut ticker = Ticker::starting_at(tick, SHORT);
    assert_eq!(ticker.next().block_until(this, tick - SHORT / 2), Err(TimedOut));
    let before = Instant::now() < tick + SHORT;
    assert_eq!(ticker.next().block_until(this, tick), Ok(tick));
    assert_eq!(ticker.next().block(this), tick + SHORT);
    hprintln!("no tick is lost: {}", before && Instant::now() >= tick + SHORT);
}

/// Waits, each time for a moment at which a permit comes too.
fn racer(this: &CurrentThread<'_>) {
    for _ in 0..ROUNDS {
        let end = END.wait().block(this);
        let count = match RACED.take().block_until(this, end) {
            Ok(()) => &TAKEN,
            Err(TimedOut) => &TIMED_OUT,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

fn main_thread(this: &CurrentThread<'_>) {
    WAITER.start().unwrap();
    this.delay(Duration::from_millis(5));
    SEMAPHORE.give();
    CHANNEL.send(3).block(this);
    SIGNAL.signal(4);
    FLAGS.set(0b10);
    WAITER.join(this).unwrap();

    RACER.start().unwrap();
    let (mut left, mut agree) = (0, true);
    for round in 0..ROUNDS {
        let end = Instant::now() + Duration::from_micros(100);
        END.signal(end);
        // Gives around the end, each time a little later.
        let begin = end - Duration::from_micros(20);
        while Instant::now() < begin {}
        cortex_m::asm::delay(round);
        RACED.give();
        // The wait is over, whoever ended it. A permit that came too late is still there.
        this.delay(Duration::from_micros(50));
        left += u32::from(RACED.try_take().is_ok());
        agree &= TIMED_OUT.load(Ordering::Relaxed) == left;
    }
    RACER.join(this).unwrap();
    let (taken, late) = (TAKEN.load(Ordering::Relaxed), TIMED_OUT.load(Ordering::Relaxed));
    hprintln!("some waits of each kind: {}", taken > 50 && late > 50);
    hprintln!("one outcome each: {}", taken + late == ROUNDS);
    hprintln!(
        "a permit is left whenever the time was up, and only then: {}",
        agree && left == late
    );
    debug::exit(debug::EXIT_SUCCESS);
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before, and the peripherals by nobody.
    let core = unsafe {
        quintet::thread::initialise();
        cortex_m::Peripherals::steal()
    };
    Clock::start(core.SYST);
    MAIN.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
