//! Semaphores between threads and interrupts: giving to a more urgent thread, to an equal one and
//! to a less urgent one, and waiting for each.
#![no_std]
#![no_main]

use campaign::patterns::call;
use campaign::{Count, begin, end, handlers, lines, succeed};
use cortex_m_rt::entry;
use lm3s6965::Interrupt;
use quintet::sync::Semaphore;
use quintet::thread::This;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 5, stack = 768, entry = high);
quintet::thread!(static PEER, priority = 3, stack = 768, entry = peer);
quintet::thread!(static DRIVER, priority = 3, stack = 768, entry = driver);
quintet::thread!(static LOW, priority = 2, stack = 768, entry = low);
quintet::thread!(static JUDGE, priority = 1, stack = 768, entry = judge);

/// A semaphore, and what was done to it.
struct Counted {
    semaphore: Semaphore,
    given: Count,
    taken: Count,
}

impl Counted {
    const fn new() -> Self {
        Self { semaphore: Semaphore::new(0), given: Count::new(), taken: Count::new() }
    }

    fn give(&self) {
        self.given.add();
        self.semaphore.give();
    }

    fn try_take(&self) {
        if self.semaphore.try_take().is_ok() {
            self.taken.add();
        }
    }

    /// Waits, in a thread.
    fn take(&self) {
        // SAFETY: only threads call this.
        self.semaphore.take_blocking(&unsafe { This::new() });
        self.taken.add();
    }

    fn judge(&self) {
        let left = u32::from(self.semaphore.available());
        assert!(self.given.get() == self.taken.get() + left, "a permit is lost or had twice");
    }
}

/// By who waits: the most urgent, the driver's equal, the driver, the least urgent, two of them.
static ALL: [Counted; 5] = [const { Counted::new() }; 5];
const HIGHS: u32 = 0;
const PEERS: u32 = 1;
const DRIVERS: u32 = 2;
const LOWS: u32 = 3;
const SHARED: u32 = 4;

extern "C" fn take(which: u32) {
    ALL[which as usize].take();
}

extern "C" fn give(which: u32) {
    ALL[which as usize].give();
}

fn high(_: &This<'_>) {
    loop {
        call(0x4444_0000, HIGHS, take);
        call(0x4545_0000, DRIVERS, give);
        call(0x4646_0000, SHARED, take);
    }
}

fn peer(_: &This<'_>) {
    loop {
        call(0x2222_0000, PEERS, take);
        call(0x2323_0000, DRIVERS, give);
        call(0x2424_0000, HIGHS, give);
    }
}

fn low(_: &This<'_>) {
    loop {
        call(0x1111_0000, LOWS, take);
        call(0x1212_0000, DRIVERS, give);
        call(0x1313_0000, SHARED, give);
    }
}

fn driver(_: &This<'_>) {
    for (line, priority) in [
        (Interrupt::GPIOA, 0xc0),
        (Interrupt::GPIOB, 0xa0),
        (Interrupt::GPIOD, 0x80),
        (Interrupt::GPIOE, 0x40),
    ] {
        lines::enable(line, priority);
    }
    begin();
    for who in [HIGHS, PEERS, LOWS] {
        call(0x3333_0000, who, give);
        call(0x3434_0000, DRIVERS, take);
    }
    call(0x3535_0000, SHARED, give);
    call(0x3636_0000, DRIVERS, give);
    call(0x3737_0000, DRIVERS, take);
    end();
    assert!(JUDGE.start().is_ok());
}

/// Runs when nobody else can.
fn judge(_: &This<'_>) {
    ALL.iter().for_each(Counted::judge);
    assert!(
        ALL[HIGHS as usize].semaphore.available() == 0
            || ALL[SHARED as usize].semaphore.available() == 0,
        "the most urgent thread waits for what is there"
    );
    succeed()
}

handlers! {
    GPIOA {
        give(HIGHS);
        give(SHARED);
    }
    GPIOB {
        give(SHARED);
        give(PEERS);
        ALL[DRIVERS as usize].give();
    }
    GPIOD {
        give(LOWS);
        give(HIGHS);
    }
    GPIOE {
        give(SHARED);
        ALL[PEERS as usize].try_take();
        give(PEERS);
        give(HIGHS);
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    for thread in [&HIGH, &PEER, &LOW, &DRIVER] {
        assert!(thread.start().is_ok());
    }
    loop {
        cortex_m::asm::wfi();
    }
}
