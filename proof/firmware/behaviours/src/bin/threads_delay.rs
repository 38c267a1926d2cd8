//! Threads wait for times: in the order of their deadlines, not before them, periodically without
//! drift; and who is more urgent preempts when its time has come.
#![no_std]
#![no_main]

use portable_atomic::{AtomicU32, Ordering};

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use embedded_hal::delay::DelayNs;
use lm3s6965 as _;
use quintet::sync::Operation;
use quintet::thread::{CurrentThread, Thread};
use quintet::time::{Duration, Instant, Ticker};
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);
quintet::systick_timer!(Clock, 12_000_000);

quintet::thread!(static LONG, priority = 4, stack = 1024, entry = long);
quintet::thread!(static SHORT, priority = 2, stack = 1024, entry = short);
quintet::thread!(static EQUAL, priority = 2, stack = 1024, entry = equal);
quintet::thread!(static PERIODIC, priority = 3, stack = 1024, entry = periodic);
quintet::thread!(static MAIN, priority = 1, stack = 1024, entry = main_thread);

/// How far the busy thread has come.
static ROUNDS: AtomicU32 = AtomicU32::new(0);

/// Waits, and says whether it took as long as it had to, and not much longer.
fn wait(this: &CurrentThread<'_>, micros: u64) {
    let begin = Instant::now();
    this.delay(Duration::from_micros(micros));
    let took = (Instant::now() - begin).as_micros();
    hprintln!("{} waited {} us: {}", this.name(), micros, (micros..micros + 2000).contains(&took));
}

fn long(this: &CurrentThread<'_>) {
    wait(this, 5000);
}

fn short(this: &CurrentThread<'_>) {
    wait(this, 1000);
}

fn equal(this: &CurrentThread<'_>) {
    wait(this, 1000);
}

fn periodic(this: &CurrentThread<'_>) {
    let first = Instant::now() + Duration::from_millis(10);
    let mut ticker = Ticker::starting_at(first, Duration::from_millis(2));
    for round in 0..4 {
        let tick = ticker.next().block(this);
        let late = Instant::now() - tick;
        let exact = tick == first + Duration::from_millis(2) * round;
        // What it does takes time, which doesn't move the next tick.
        let busy = Instant::now() + Duration::from_micros(700);
        while Instant::now() < busy {}
        hprintln!("tick {} exact: {}, soon: {}", round, exact, late < Duration::from_micros(100));
    }
}

fn main_thread(this: &CurrentThread<'_>) {
    let threads: [&'static Thread; 4] = [&LONG, &SHORT, &EQUAL, &PERIODIC];
    for thread in threads {
        thread.start().unwrap();
    }
    // It never waits, so all others preempt it.
    while threads.iter().any(|thread| thread.is_alive()) {
        ROUNDS.fetch_add(1, Ordering::Relaxed);
    }
    hprintln!("others ran on: {}", ROUNDS.load(Ordering::Relaxed) > 100);

    // What is over already, and what takes no time.
    let begin = Instant::now();
    this.delay_until(begin);
    this.delay(Duration::from_ticks(0));
    let driver: &mut dyn DelayNs = &mut &*this;
    driver.delay_ms(3);
    driver.delay_us(20);
    driver.delay_ns(1);
    hprintln!("a driver waited: {}", (3020..3500).contains(&(Instant::now() - begin).as_micros()));
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
