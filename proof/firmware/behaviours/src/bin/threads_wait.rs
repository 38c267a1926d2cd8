//! Threads wait for every object: served in the order of their priorities, and within one in the
//! order in which they came; a full channel holds its sender back; jobs serve threads.
#![no_std]
#![no_main]

use cortex_m::peripheral::NVIC;
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use lm3s6965::{Interrupt, interrupt};
use quintet::sync::{Channel, Flags, Operation, Semaphore, Signal};
use quintet::thread::CurrentThread;
use semihosting as _;

quintet::kernel!(hardware_priority = 0x20);

quintet::thread!(static FIRST, priority = 2, stack = 1024, entry = receiver);
quintet::thread!(static SECOND, priority = 2, stack = 1024, entry = receiver);
quintet::thread!(static URGENT, priority = 3, stack = 1024, entry = receiver);
quintet::thread!(static MAIN, priority = 1, stack = 2048, entry = main_thread);

static SMALL: Channel<u32, 2> = Channel::new();
static LARGE: Channel<[u32; 5], 2> = Channel::new();
static LATEST: Signal<u32> = Signal::new();
static EVENT: Signal<()> = Signal::new();
static FLAGS: Flags = Flags::new(0);
static ENDED: Semaphore = Semaphore::new(0);

fn receiver(this: &CurrentThread<'_>) {
    let small = SMALL.receive().block(this);
    hprintln!("{} received {}", this.name(), small);
    let large = LARGE.receiver().receive().block(this);
    hprintln!("{} received {:?}", this.name(), large);
    let latest = LATEST.wait().block(this);
    hprintln!("{} saw {}", this.name(), latest);
    EVENT.wait().block(this);
    hprintln!("{} was notified", this.name());
    let any = FLAGS.wait_any(0b110).block(this);
    let all = FLAGS.take_all(0b11).block(this);
    hprintln!("{} waited for {:03b}, then took {:03b}", this.name(), any, all);
    ENDED.give();
}

fn main_thread(this: &CurrentThread<'_>) {
    for thread in [&FIRST, &SECOND, &URGENT] {
        thread.start().unwrap();
    }
    for message in 0..3 {
        SMALL.send(message).block(this);
    }
    for message in 0..3 {
        LARGE.sender().send([message; 5]).block(this);
    }
    for value in 0..3 {
        LATEST.signal(value);
    }
    for _ in 0..3 {
        // SAFETY: its handler may come at any time.
        unsafe { NVIC::unmask(Interrupt::GPIOA) };
        NVIC::pend(Interrupt::GPIOA);
    }
    FLAGS.set(0b100);
    for _ in 0..3 {
        FLAGS.set(0b011);
        ENDED.take().block(this);
    }
    hprintln!("flags left: {:03b}", FLAGS.get());

    // Who sends waits for room, and is served when a message is received.
    for thread in [&FIRST, &SECOND] {
        thread.join(this).unwrap();
        thread.start().unwrap();
    }
    for message in 0..4 {
        SMALL.send(10 + message).block(this);
    }
    hprintln!("left: {} and {}", SMALL.receive().block(this), SMALL.receive().block(this));
    hprintln!("flags at once: {:03b}", FLAGS.wait_all(0b100).block(this));
    hprintln!("and cleared: {:03b}", FLAGS.take_any(0b111).block(this));
    debug::exit(debug::EXIT_SUCCESS);
}

#[interrupt]
fn GPIOA() {
    EVENT.signal(());
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    let mut core = unsafe {
        quintet::thread::initialise();
        cortex_m::Peripherals::steal()
    };
    // SAFETY: it is less urgent than the kernel's ceiling.
    unsafe { core.NVIC.set_priority(Interrupt::GPIOA, 0x40) };
    MAIN.start().unwrap();
    loop {
        cortex_m::asm::wfi();
    }
}
