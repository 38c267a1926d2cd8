//! A mailbox holds one message: who posts another waits, who replaces it gets the old one back, and
//! who was handed the message sees the new one. A thread is notified without any object.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Mailbox, NoMessage, Occupied, Operation};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static HIGH, priority = 2, stack = 1024, entry = high);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

static BOX: Mailbox<u32> = Mailbox::new();

fn low(this: &CurrentThread<'_>) {
    assert_eq!(BOX.try_take(), Err(NoMessage));
    BOX.try_post(1).unwrap();
    assert_eq!(BOX.try_post(2), Err(Occupied(2)));
    hprintln!("low replaces {:?}", BOX.replace(3));
    // 1. The place is free only when the message was taken; then who waits fills it.
    HIGH.start().unwrap();
    hprintln!("low takes {}", BOX.take().block(this));
    hprintln!("low takes {}", BOX.take().block(this));
    assert_eq!(BOX.replace(7), None);
    // 2. Both directions: the message goes to the one that waits.
    hprintln!("low goes on: {:?}", BOX);
    BOX.post(8).block(this);
    // 3. Notified twice before it looks: once.
    HIGH.unpark();
    LOW.unpark();
    LOW.unpark();
    this.park();
    HIGH.join(this).unwrap();
    debug::exit(debug::EXIT_SUCCESS);
}

fn high(this: &CurrentThread<'_>) {
    BOX.post(4).block(this);
    hprintln!("high has posted");
    BOX.post(5).block(this);
    assert_eq!(BOX.take().block(this), 5);
    for _ in 0..2 {
        hprintln!("high takes {}", BOX.take().block(this));
    }
    this.park();
    hprintln!("high was notified");
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    LOW.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
