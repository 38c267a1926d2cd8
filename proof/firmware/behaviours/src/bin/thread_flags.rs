//! Flags of a thread's own: any and all of some, kept and cleared, from threads and interrupts;
//! what isn't enough wakes nobody, and neither does a notification; and until a time: whatever the
//! timing, nothing is lost and nothing is taken twice.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use portable_atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965::{Interrupt, interrupt};
use quintet::sync::{NotSet, Operation, Owned, Signal, ThreadFlags, TimedOut};
use quintet::thread::CurrentThread;
use quintet::time::{Duration, Instant};

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, 12_000_000);

quintet::thread!(static HIGH, priority = 4, stack = 2048, entry = high);
quintet::thread!(static RACER, priority = 3, stack = 1024, entry = racer);
quintet::thread!(static EQUAL, priority = 2, stack = 1024, entry = equal);
quintet::thread!(static MAIN, priority = 2, stack = 2048, entry = main_thread);

static FLAGS: ThreadFlags = ThreadFlags::new();
static OF_MAIN: ThreadFlags = ThreadFlags::new();
static RACED: ThreadFlags = ThreadFlags::new();

const SHORT: Duration = Duration::from_micros(300);
const LONG: Duration = Duration::from_secs(1);
/// The rounds of the race.
const ROUNDS: u32 = 400;

static TAKEN: AtomicU32 = AtomicU32::new(0);
static TIMED_OUT: AtomicU32 = AtomicU32::new(0);
/// When the race's wait is to end.
static END: Signal<Instant> = Signal::new();

fn high(this: &CurrentThread<'_>) {
    let own = FLAGS.own(this).unwrap();
    assert!(matches!(FLAGS.own(this), Err(Owned)));
    assert_eq!(own.try_any(1), Err(NotSet));
    hprintln!("any of 0b011: {:#b}", own.wait_any(0b011).block(this));
    hprintln!("left as it was: {:#b}", own.get());
    hprintln!("all of 0b110: {:#b}", own.take_all(0b110).block(this));
    hprintln!("cleared: {:#b}", own.get());
    hprintln!("an interrupt's: {:#b}", own.take_any(0b1000).block(this));
    // A mask that is the address of the thread's own control block, as while it is parked.
    let odd = core::ptr::from_ref(this.thread()).addr() as u32;
    hprintln!("any bits: {}", own.take_all(odd).block(this) == odd);
    // The notification came while it waited for flags, and is for this.
    this.park();
    hprintln!("notified");
    assert_eq!(own.take_any(1).block_for(this, SHORT), Err(TimedOut));
    assert_eq!(own.wait_all(0b11).block_for(this, SHORT), Err(TimedOut));
    own.set(0b01);
    assert_eq!(own.take_all(0b11).block_for(this, SHORT), Err(TimedOut));
    let past = Instant::now();
    assert_eq!(own.wait_any(0b11).block_until(this, past), Ok(0b01));
    assert_eq!(own.take_all(0b10).block_until(this, past), Err(TimedOut));
    hprintln!("three ended in time, with what was set left: {:#b}", own.clear(0b11));
    OF_MAIN.set(1);
    assert_eq!(own.take_all(0b11).block_for(this, LONG), Ok(0b11));
    hprintln!("both came in time");
}

/// Waits, each time for a moment at which a flag comes too.
fn racer(this: &CurrentThread<'_>) {
    let own = RACED.own(this).unwrap();
    for _ in 0..ROUNDS {
        let end = END.wait().block(this);
        let count = match own.take_any(1).block_until(this, end) {
            Ok(_) => &TAKEN,
            Err(TimedOut) => &TIMED_OUT,
        };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Of the priority of who sets its flags: it waits while another one is ready.
fn equal(this: &CurrentThread<'_>) {
    let own = RACED.own(this).unwrap();
    hprintln!("equal: {:#b}", own.take_any(0b10).block(this));
}

#[interrupt]
fn GPIOA() {
    FLAGS.set(0b1000);
}

fn main_thread(this: &CurrentThread<'_>) {
    let own = OF_MAIN.own(this).unwrap();
    HIGH.start().unwrap();
    // Not enough, enough.
    FLAGS.set(0b100);
    FLAGS.set(0b010);
    // It waits for all of 0b110 now, of which it had both.
    NVIC::pend(Interrupt::GPIOA);
    HIGH.unpark();
    let odd = core::ptr::from_ref(&HIGH).addr() as u32;
    for bit in 0..32 {
        FLAGS.set(odd & 1 << bit);
    }
    own.take_any(1).block(this);
    FLAGS.set(0b01);
    FLAGS.set(0b10);
    HIGH.join(this).unwrap();
    hprintln!("nobody owns what is left: {}", FLAGS.own(this).is_ok());

    EQUAL.start().unwrap();
    this.yield_now();
    RACED.set(0b10);
    EQUAL.join(this).unwrap();

    RACER.start().unwrap();
    let mut come = 0;
    for round in 0..ROUNDS {
        let end = Instant::now() + Duration::from_micros(200);
        END.signal(end);
        // Around the end, before and behind it.
        let at = end - Duration::from_micros(20) + Duration::from_ticks(u64::from(round));
        while Instant::now() < at {}
        RACED.set(1);
        this.delay(Duration::from_micros(50));
        come += 1;
        if RACED.clear(1) & 1 != 0 {
            come -= 1;
        }
    }
    RACER.join(this).unwrap();
    let (taken, timed_out) = (TAKEN.load(Ordering::Relaxed), TIMED_OUT.load(Ordering::Relaxed));
    hprintln!("one outcome each: {}", taken + timed_out == ROUNDS && taken == come);
    hprintln!("both occurred: {}", taken > 0 && timed_out > 0);

    critical_section::with(|_| own.take_any(1).block(this));
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before; the interrupt is the kernel's.
    unsafe {
        quintet::thread::initialise();
        let mut peripherals = cortex_m::Peripherals::steal();
        peripherals.NVIC.set_priority(Interrupt::GPIOA, 0x20);
        NVIC::unmask(Interrupt::GPIOA);
        Clock::start(peripherals.SYST);
    }
    MAIN.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}

#[panic_handler]
fn panic(information: &PanicInfo<'_>) -> ! {
    hprintln!("{}", information.message());
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}
