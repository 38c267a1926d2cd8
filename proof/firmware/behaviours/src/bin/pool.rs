//! A pool gives what it has, says so when there is nothing left, and hands what comes back to
//! whoever waits. Dropping gives back, also from the inside out.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965 as _;
use quintet::sync::{Operation, OutOfMemory, Pool};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static HIGH, priority = 2, stack = 1024, entry = high);
quintet::thread!(static LOW, priority = 1, stack = 1024, entry = low);

static POOL: Pool<[u32; 3], 2> = Pool::new();
static BYTES: Pool<u8, 3> = Pool::new();

fn low(this: &CurrentThread<'_>) {
    assert_eq!((POOL.capacity(), BYTES.capacity()), (2, 3));
    let mut first = POOL.try_alloc([1; 3]).unwrap();
    let second = POOL.try_alloc([2; 3]).unwrap();
    assert_eq!(POOL.try_alloc([3; 3]).unwrap_err(), OutOfMemory([3; 3]));
    first[1] = 10;
    // 1. Somebody waits: it gets the block, with its own value in it.
    HIGH.start().unwrap();
    hprintln!("low gives {:?} back", second);
    drop(second);
    hprintln!("low still has {:?}", first.into_inner());
    HIGH.join(this).unwrap();
    // 2. All are back, and each is there once.
    for round in 0..3 {
        let mut bytes = [10, 20, 30].map(|byte| BYTES.try_alloc(byte + round).unwrap());
        assert!(BYTES.try_alloc(0).is_err());
        for byte in &mut bytes {
            **byte += 1;
        }
        hprintln!("{:?}", bytes);
    }
    let both = [POOL.alloc([4; 3]).block(this), POOL.alloc([5; 3]).block(this)];
    assert!(POOL.try_alloc([6; 3]).is_err());
    hprintln!("{:?}", both);
    debug::exit(debug::EXIT_SUCCESS);
}

fn high(this: &CurrentThread<'_>) {
    hprintln!("high waits");
    let block = POOL.alloc([7; 3]).block(this);
    hprintln!("high has {:?}", block);
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
