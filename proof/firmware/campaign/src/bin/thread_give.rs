//! Semaphores between threads and interrupts: giving to a more urgent thread, to an equal one and
//! to a less urgent one, and waiting for each.
#![no_std]
#![no_main]

use campaign::patterns::call;
use campaign::threads::{Counted, over, run};
use campaign::{begin, handlers, lines};
use cortex_m_rt::entry;
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static HIGH, priority = 5, stack = 768, entry = high);
quintet::thread!(static PEER, priority = 3, stack = 768, entry = peer);
quintet::thread!(static DRIVER, priority = 3, stack = 768, entry = driver);
quintet::thread!(static LOW, priority = 2, stack = 768, entry = low);

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

fn high(_: &CurrentThread<'_>) {
    loop {
        call(0x4444_0000, HIGHS, take);
        call(0x4545_0000, DRIVERS, give);
        call(0x4646_0000, SHARED, take);
    }
}

fn peer(_: &CurrentThread<'_>) {
    loop {
        call(0x2222_0000, PEERS, take);
        call(0x2323_0000, DRIVERS, give);
        call(0x2424_0000, HIGHS, give);
    }
}

fn low(_: &CurrentThread<'_>) {
    loop {
        call(0x1111_0000, LOWS, take);
        call(0x1212_0000, DRIVERS, give);
        call(0x1313_0000, SHARED, give);
    }
}

fn driver(_: &CurrentThread<'_>) {
    lines::enable_four();
    begin();
    for who in [HIGHS, PEERS, LOWS] {
        call(0x3333_0000, who, give);
        call(0x3434_0000, DRIVERS, take);
    }
    call(0x3535_0000, SHARED, give);
    call(0x3636_0000, DRIVERS, give);
    call(0x3737_0000, DRIVERS, take);
    over();
}

fn judge() {
    ALL.iter().for_each(Counted::judge);
    assert!(
        ALL[HIGHS as usize].semaphore.available() == 0
            || ALL[SHARED as usize].semaphore.available() == 0,
        "the most urgent thread waits for what is there"
    );
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
    run(&[&HIGH, &PEER, &LOW, &DRIVER], judge)
}
