//! Software timers call their functions in the clock's interrupt, once or periodically: from there
//! they serve threads, start and stop each other, and say when.
#![no_std]
#![no_main]

use portable_atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::SCB;
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Channel, Operation, Semaphore};
use quintet::thread::CurrentThread;
use quintet::time::{Duration, Instant, SoftwareTimer};
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, 12_000_000);

quintet::thread!(static MAIN, priority = 1, stack = 2048, entry = main_thread);

static DONE: Semaphore = Semaphore::new(0);
static TICKS: Channel<Instant, 4> = Channel::new();

static ONCE: SoftwareTimer = SoftwareTimer::new(|_| DONE.give());
static PERIODIC: SoftwareTimer = SoftwareTimer::new(|timer| {
    // It was armed for the next time already.
    let next = timer.deadline().unwrap();
    TICKS.try_send(next - PERIOD).unwrap();
});
static COUNTED: SoftwareTimer = SoftwareTimer::new(|timer| {
    if COUNT.fetch_add(1, Ordering::Relaxed) == 4 {
        timer.stop();
        ONCE.start(Duration::from_micros(50));
    }
});
static COUNT: AtomicU32 = AtomicU32::new(0);
static WHERE: SoftwareTimer = SoftwareTimer::new(|_| VECTOR.store(active(), Ordering::Relaxed));
static VECTOR: AtomicU32 = AtomicU32::new(0);

const PERIOD: Duration = Duration::from_micros(700);

/// The number of the exception that runs.
fn active() -> u32 {
    // SAFETY: reading the register has no effect.
    unsafe { (*SCB::PTR).icsr.read() & 0x1ff }
}

fn main_thread(this: &CurrentThread<'_>) {
    let begin = Instant::now();
    ONCE.start(Duration::from_millis(2));
    hprintln!("running: {}", ONCE.is_running());
    DONE.take().block(this);
    let took = (Instant::now() - begin).as_micros();
    hprintln!("once, in time: {}, and over: {}", (2000..4000).contains(&took), !ONCE.is_running());

    let first = Instant::now() + Duration::from_millis(3);
    PERIODIC.start_at(first, PERIOD);
    for round in 0..4 {
        let exact = TICKS.receive().block(this) == first + PERIOD * round;
        hprintln!("tick {} exact: {}", round, exact);
    }
    hprintln!("stopped: {}, and again: {}", PERIODIC.stop(), PERIODIC.stop());

    COUNTED.start_periodic(Duration::from_micros(200));
    DONE.take().block(this);
    hprintln!("called {} times, then stopped itself", COUNT.load(Ordering::Relaxed));

    WHERE.start(Duration::from_micros(100));
    ONCE.start(Duration::from_millis(1));
    ONCE.start(Duration::from_micros(300));
    DONE.take().block(this);
    hprintln!("in exception {}, threads in {}", VECTOR.load(Ordering::Relaxed), active());
    this.delay(Duration::from_millis(2));
    hprintln!("started anew, it came once: {}", DONE.try_take().is_err());
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
