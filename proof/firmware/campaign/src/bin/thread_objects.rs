//! Threads that wait for flags, a mailbox, a channel and a barrier, while interrupts set, post,
//! take, send, receive and arrive.
#![no_std]
#![no_main]

use campaign::patterns::call;
use campaign::spawns::{Message, Spawns};
use campaign::threads::{over, run};
use campaign::{Count, begin, handlers, lines};
use cortex_m_rt::entry;
use quintet::sync::{Barrier, Channel, Flags, Full, Mailbox, Occupied, Operation};
use quintet::thread::{CurrentThread, Thread};

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static FLAGGED, priority = 6, stack = 1024, entry = flagged);
quintet::thread!(static RECEIVER, priority = 5, stack = 1024, entry = receiver);
quintet::thread!(static READER, priority = 3, stack = 1024, entry = reader);
quintet::thread!(static MEETER, priority = 3, stack = 1024, entry = meeter);
quintet::thread!(static DRIVER, priority = 3, stack = 1024, entry = driver);
quintet::thread!(static LAST, priority = 1, stack = 1024, entry = last);

static THREADS: [&Thread; 6] = [&FLAGGED, &RECEIVER, &READER, &MEETER, &DRIVER, &LAST];

static FLAGS: Flags = Flags::new(0);
/// Flags that were taken.
static TAKEN: Count = Count::new();
static CHANNEL: Channel<Message, 1> = Channel::new();
static SENT: Spawns = Spawns::new();
static MAILBOX: Mailbox<Message> = Mailbox::new();
static POSTED: Spawns = Spawns::new();
static BARRIER: Barrier = Barrier::new(3);
static ARRIVED: Count = Count::new();
/// Who was told to be the last to arrive.
static LASTS: Count = Count::new();

/// Waits for two flags at once.
extern "C" fn take_flags(_: u32) {
    // SAFETY: only threads call this.
    let taken = FLAGS.take_all(0b11).block(&unsafe { CurrentThread::new() });
    assert!(taken == 0b11, "another flag was taken");
    TAKEN.add();
}

extern "C" fn receive(_: u32) {
    // SAFETY: only threads call this.
    SENT.start(&CHANNEL.receive().block(&unsafe { CurrentThread::new() }));
}

extern "C" fn send(_: u32) {
    let sent = SENT.begin();
    // SAFETY: only threads call this.
    CHANNEL.send(sent.message()).block(&unsafe { CurrentThread::new() });
    sent.end();
}

extern "C" fn read(_: u32) {
    // SAFETY: only threads call this.
    POSTED.start(&MAILBOX.take().block(&unsafe { CurrentThread::new() }));
}

extern "C" fn post(_: u32) {
    let posted = POSTED.begin();
    // SAFETY: only threads call this.
    MAILBOX.post(posted.message()).block(&unsafe { CurrentThread::new() });
    posted.end();
}

extern "C" fn meet(_: u32) {
    ARRIVED.add();
    // SAFETY: only threads call this.
    if BARRIER.wait().block(&unsafe { CurrentThread::new() }) {
        LASTS.add();
    }
}

fn flagged(_: &CurrentThread<'_>) {
    loop {
        call(0x1100_0000, 0, take_flags);
    }
}

fn receiver(_: &CurrentThread<'_>) {
    loop {
        call(0x2200_0000, 0, receive);
    }
}

fn reader(_: &CurrentThread<'_>) {
    loop {
        call(0x3300_0000, 0, read);
    }
}

fn meeter(_: &CurrentThread<'_>) {
    loop {
        call(0x4400_0000, 0, meet);
    }
}

fn try_send() {
    SENT.spawn(|message| CHANNEL.try_send(message).map_err(|Full(message)| message));
}

fn try_receive() {
    if let Ok(message) = CHANNEL.try_receive() {
        SENT.start(&message);
    }
}

fn try_post() {
    POSTED.spawn(|message| MAILBOX.try_post(message).map_err(|Occupied(message)| message));
}

fn try_read() {
    if let Ok(message) = MAILBOX.try_take() {
        POSTED.start(&message);
    }
}

fn arrive() {
    ARRIVED.add();
    if BARRIER.arrive() {
        LASTS.add();
    }
}

fn driver(this: &CurrentThread<'_>) {
    this.yield_now();
    lines::enable_four();
    begin();
    FLAGS.set(0b01);
    call(0x5500_0000, 0, send);
    call(0x5600_0000, 0, post);
    FLAGS.set(0b10);
    call(0x5700_0000, 0, post);
    arrive();
    this.yield_now();
    call(0x5800_0000, 0, meet);
    call(0x5900_0000, 0, send);
    over();
}

/// Runs when nobody else can: then the driver waits for one more to arrive, who isn't to come.
fn last(_: &CurrentThread<'_>) {
    while DRIVER.is_alive() {
        arrive();
    }
}

fn judge() {
    assert!(TAKEN.get() > 0 && FLAGS.get() != 0b11, "flags are set that somebody waits for");
    assert!(CHANNEL.is_empty() && !MAILBOX.is_full(), "a message is left, and somebody waits");
    assert!(CHANNEL.free_capacity() == 1, "a place is lost");
    // Not in order: whoever interrupts a receiver that has its message may be the first to note
    // one.
    SENT.count(0..=0);
    POSTED.count(0..=0);
    assert!(LASTS.get() == ARRIVED.get() / 3, "a meeting has another number of parties");
}

handlers! {
    GPIOA {
        FLAGS.set(0b01);
        try_post();
    }
    GPIOB {
        try_send();
        arrive();
    }
    GPIOD {
        let _before = FLAGS.clear(0b01);
        FLAGS.set(0b11);
        try_read();
    }
    GPIOE {
        try_receive();
        try_send();
        try_post();
    }
}

#[entry]
fn main() -> ! {
    run(&THREADS, judge)
}
