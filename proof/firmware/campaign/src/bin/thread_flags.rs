//! Flags of a thread's own: threads above, beside and below who sets them, which wait for any and
//! for all, for good and until a time; interrupts that set flags, notify, suspend, and change
//! priorities meanwhile. Each flag that was set was taken once, or is still set.
#![no_std]
#![no_main]

use portable_atomic::{AtomicBool, AtomicU32, Ordering};

use campaign::patterns::call;
use campaign::threads::{over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use embassy_time::{Duration, Instant};
use quintet::sync::{Operation, OwnFlags, ThreadFlags};
use quintet::thread::{CurrentThread, Thread};

/// A tick is a cycle.
const HZ: u32 = 12_000_000;

quintet::kernel!(hardware_priority = 0x40);
quintet::systick_timer!(Clock, HZ);

quintet::thread!(static HIGH, priority = 5, stack = 1024, entry = high);
quintet::thread!(static PEER, priority = 3, stack = 1024, entry = peer);
quintet::thread!(static DRIVER, priority = 3, stack = 1024, entry = driver);
quintet::thread!(static LOW, priority = 2, stack = 1024, entry = low);

static ALL: [&Thread; 4] = [&HIGH, &PEER, &LOW, &DRIVER];
const HIGHS: usize = 0;
const PEERS: usize = 1;
const LOWS: usize = 2;
const DRIVERS: usize = 3;

/// The flags that threads set, and those that interrupts set.
const BOTH: u32 = 0b11;
const URGENT: u32 = 0b1100;

/// How late a thread may be, in cycles: everything that runs before it, and what is injected.
const LATE_MAX: u64 = 15_000;

/// Flags, and what became of each.
struct Counted {
    flags: ThreadFlags,
    /// Those that were set, and not noted as taken since; changed with interrupts off.
    left: AtomicU32,
    /// Those that were ever set.
    ever: AtomicU32,
    taken: Count,
    /// Notifications that ended a wait for one.
    notified: Count,
}

/// Whether no thread is setting flags.
static QUIET: AtomicBool = AtomicBool::new(false);

static FLAGS: [Counted; 4] = [const { Counted::new() }; 4];

impl Counted {
    const fn new() -> Self {
        Self {
            flags: ThreadFlags::new(),
            left: AtomicU32::new(0),
            ever: AtomicU32::new(0),
            taken: Count::new(),
            notified: Count::new(),
        }
    }

    /// Sets flags. They are noted first: whoever takes one finds it noted.
    fn set(&self, flags: u32) {
        self.note(|left| left | flags);
        self.ever.fetch_or(flags, Ordering::Relaxed);
        self.flags.set(flags);
    }

    /// Notes what was taken. One that was set again meanwhile is set, and not noted.
    fn took(&self, taken: u32) {
        let ever = self.ever.load(Ordering::Relaxed);
        assert!(ever & taken == taken, "a flag was taken that nobody set");
        self.note(|left| left & !taken);
        self.taken.add();
    }

    fn note(&self, change: impl FnOnce(u32) -> u32) {
        cortex_m::interrupt::free(|_| {
            self.left.store(change(self.left.load(Ordering::Relaxed)), Ordering::Relaxed);
        });
    }

    /// What is noted is set, where nobody is about to set more.
    fn judge(&self) {
        let left = self.left.load(Ordering::Relaxed);
        assert!(self.flags.get() & left == left, "a flag is lost");
    }
}

fn take_any(own: &OwnFlags<'_>, counted: &Counted, mask: u32, this: &CurrentThread<'_>) {
    let taken = own.take_any(mask).block(this);
    assert!(taken != 0 && taken & !mask == 0, "a wait for any has ended without");
    counted.took(taken);
}

fn take_all(own: &OwnFlags<'_>, counted: &Counted, mask: u32, this: &CurrentThread<'_>) {
    assert!(own.take_all(mask).block(this) == mask, "a wait for all has ended without");
    counted.took(mask);
}

/// Waits until a time, which may be up. It is then, and not before.
fn take_until(own: &OwnFlags<'_>, counted: &Counted, ticks: u64, this: &CurrentThread<'_>) {
    let deadline = Instant::now() + Duration::from_ticks(ticks);
    match own.take_all(BOTH).block_until(this, deadline) {
        Ok(taken) => {
            assert!(taken == BOTH, "a wait for all has ended without");
            counted.took(taken);
        }
        Err(_) => {
            let now = Instant::now();
            assert!(now >= deadline, "early");
            assert!((now - deadline).as_ticks() < LATE_MAX, "late");
            // Interrupts are over where threads run.
            if QUIET.load(Ordering::Relaxed) {
                counted.judge();
            }
        }
    }
}

fn own<'a>(which: usize, this: &'a CurrentThread<'_>) -> OwnFlags<'a> {
    let Ok(own) = FLAGS[which].flags.own(this) else { panic!("somebody else owns them") };
    own
}

extern "C" fn set_first(which: u32) {
    FLAGS[which as usize].set(0b01);
}

extern "C" fn set_both(which: u32) {
    FLAGS[which as usize].set(BOTH);
}

fn high(this: &CurrentThread<'_>) {
    let own = own(HIGHS, this);
    loop {
        take_any(&own, &FLAGS[HIGHS], BOTH, this);
        // Until grants and the end of the time meet; until it is up before the wait begins.
        take_until(&own, &FLAGS[HIGHS], 900, this);
        take_until(&own, &FLAGS[HIGHS], 300, this);
        take_all(&own, &FLAGS[HIGHS], BOTH, this);
        // Only interrupts set these, and one may have come before.
        while let Ok(taken) = own.try_take_any(URGENT) {
            FLAGS[HIGHS].note(|left| left & !taken);
        }
        call(0x4545_0000, DRIVERS as u32, set_first);
    }
}

fn peer(this: &CurrentThread<'_>) {
    let own = own(PEERS, this);
    loop {
        take_any(&own, &FLAGS[PEERS], BOTH | URGENT, this);
        call(0x2323_0000, DRIVERS as u32, set_first);
    }
}

fn low(this: &CurrentThread<'_>) {
    let own = own(LOWS, this);
    loop {
        assert!(own.wait_all(BOTH).block(this) == BOTH, "a wait for all has ended without");
        take_all(&own, &FLAGS[LOWS], BOTH, this);
        call(0x1212_0000, DRIVERS as u32, set_first);
    }
}

fn driver(this: &CurrentThread<'_>) {
    let own = own(DRIVERS, this);
    lines::enable_four();
    begin();
    // Enough for any, not enough for all, enough.
    call(0x3131_0000, HIGHS as u32, set_first);
    // Instructions to interrupt, until the wait that ends at a time is over.
    let end = Instant::now() + Duration::from_ticks(1800);
    QUIET.store(true, Ordering::Relaxed);
    while Instant::now() < end {}
    QUIET.store(false, Ordering::Relaxed);
    call(0x3232_0000, HIGHS as u32, set_first);
    call(0x3333_0000, HIGHS as u32, set_both);
    take_any(&own, &FLAGS[DRIVERS], BOTH, this);
    call(0x3434_0000, PEERS as u32, set_both);
    take_any(&own, &FLAGS[DRIVERS], BOTH, this);
    call(0x3535_0000, LOWS as u32, set_first);
    call(0x3636_0000, LOWS as u32, set_both);
    take_any(&own, &FLAGS[DRIVERS], BOTH, this);
    // The notification of an interrupt, or its own.
    DRIVER.unpark();
    this.park();
    FLAGS[DRIVERS].notified.add();
    over();
}

fn judge() {
    FLAGS.iter().for_each(Counted::judge);
    assert!(FLAGS[DRIVERS].taken.get() == 3, "a wait has no end, or two");
    assert!(FLAGS[DRIVERS].notified.get() == 1, "a notification is lost");
    assert!(FLAGS[HIGHS].taken.get() >= 2, "a flag is lost");
    for which in [PEERS, LOWS] {
        assert!(FLAGS[which].taken.get() > 0, "a flag is lost");
    }
    // Who waits for what is set would have it.
    assert!(FLAGS[PEERS].flags.get() & (BOTH | URGENT) == 0, "who waits for any has it not");
    assert!(FLAGS[LOWS].flags.get() & BOTH != BOTH, "who waits for all has it not");
    for thread in ALL {
        assert!(!thread.is_suspended(), "a thread is held for ever");
    }
}

handlers! {
    GPIOA {
        FLAGS[HIGHS].set(0b1000);
        FLAGS[PEERS].set(0b0100);
        DRIVER.unpark();
    }
    GPIOB {
        FLAGS[HIGHS].set(0b10);
        FLAGS[LOWS].set(0b10);
        HIGH.unpark();
        PEER.unpark();
    }
    // Who is granted flags, or whose time is up, while it is suspended.
    GPIOD {
        let _running = HIGH.suspend();
        let _running = LOW.suspend();
        FLAGS[HIGHS].set(BOTH);
        FLAGS[LOWS].set(0b01);
        LOW.resume();
        HIGH.resume();
    }
    // Other places among who is ready.
    GPIOE {
        let priority = if PEER.base_priority() == 3 { 6 } else { 3 };
        assert!(PEER.set_priority(priority).is_ok());
        FLAGS[PEERS].set(0b1000);
        FLAGS[HIGHS].set(0b01);
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nobody else uses the peripherals.
    Clock::start(unsafe { cortex_m::Peripherals::steal() }.SYST);
    run(&[&HIGH, &PEER, &LOW, &DRIVER], judge)
}
