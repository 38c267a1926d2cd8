//! Group `threads`, the rows of queues, mailboxes, signals, direct notification and event flags.
//!
//! The scenario is written down in `scenarios/threads.toml`. Both threads go through the objects in
//! the same order: behind each hand-over the higher one waits for the next object, so that the time
//! in which it goes to wait for an object ends behind the lower one's call for the object before.

#![no_std]
#![no_main]

use core::hint::black_box;
use portable_atomic::{AtomicU32, Ordering};

use quintet::sync::{Channel, Flags, Operation, Signal};
use quintet::thread::CurrentThread;
use quintet_bench_common::{exit, mark};

quintet_bench_common::vectors!();

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static LOW, priority = 4, stack = 512, entry = low);
quintet::thread!(static HIGH, priority = 6, stack = 512, entry = high);

/// The messages for which a queue has room.
const PLACES: usize = 8;

static QUEUE: Channel<u32, PLACES> = Channel::new();
static MAILBOX: Channel<u32, 1> = Channel::new();
static SIGNAL: Signal<u32> = Signal::new();
static FLAGS: Flags = Flags::new(0);

/// Nobody waits for these.
static FREE_QUEUE: Channel<u32, PLACES> = Channel::new();
static FREE_MAILBOX: Channel<u32, 1> = Channel::new();
static FREE_SIGNAL: Signal<u32> = Signal::new();
static FREE_FLAGS: Flags = Flags::new(0);

/// What arrived, so that nothing is left out unseen.
static SUM: AtomicU32 = AtomicU32::new(0);

const ROUNDS: u32 = 3;

/// What a queue takes, without its 8 messages of a word.
#[unsafe(no_mangle)]
#[used]
static QUEUE_BYTES: usize = size_of::<Channel<u32, PLACES>>() - size_of::<[u32; PLACES]>();
/// What a group of event flags takes.
#[unsafe(no_mangle)]
#[used]
static FLAGS_BYTES: usize = size_of::<Flags>();

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    for thread in [&HIGH, &LOW] {
        thread.start().unwrap_or_else(|_| exit(103));
    }
    loop {
        cortex_m::asm::wfi();
    }
}

fn high(this: &CurrentThread<'_>) {
    loop {
        mark!("q_blk_from");
        let word = QUEUE.receive().block(this);
        mark!("q_sw_to");
        count(word);
        mark!("mb_blk_from");
        let word = MAILBOX.receive().block(this);
        mark!("mb_sw_to");
        count(word);
        mark!("sg_blk_from");
        let word = SIGNAL.wait().block(this);
        mark!("sg_sw_to");
        count(word);
        mark!("tn_blk_from");
        this.park();
        mark!("tn_sw_to");
        count(1);
        mark!("ef_blk_from");
        let word = FLAGS.take_any(1).block(this);
        mark!("ef_sw_to");
        count(word);
    }
}

fn count(word: u32) {
    SUM.fetch_add(word, Ordering::Relaxed);
}

fn low(this: &CurrentThread<'_>) {
    mark!("start");
    for _ in 0..black_box(ROUNDS) {
        alone(this);

        mark!("q_sw_from");
        let sent = QUEUE.try_send(1);
        mark!("mb_blk_to");
        sent.unwrap_or_else(|_| exit(104));
        mark!("mb_sw_from");
        let sent = MAILBOX.try_send(1);
        mark!("sg_blk_to");
        sent.unwrap_or_else(|_| exit(104));
        mark!("sg_sw_from");
        SIGNAL.signal(1);
        mark!("tn_blk_to");
        mark!("tn_sw_from");
        HIGH.unpark();
        mark!("ef_blk_to");
        mark!("ef_sw_from");
        FLAGS.set(1);
        mark!("q_blk_to");
    }
    mark!("end");
    exit(if SUM.load(Ordering::Relaxed) == 10 * ROUNDS { 0 } else { 105 })
}

/// What needs no switch.
#[inline(always)]
fn alone(this: &CurrentThread<'_>) {
    mark!("q_post_from");
    let sent = FREE_QUEUE.try_send(1);
    mark!("q_post_to");
    sent.unwrap_or_else(|_| exit(104));
    mark!("q_get_from");
    let word = FREE_QUEUE.receive().block(this);
    mark!("q_get_to");
    count(word);

    mark!("mb_post_from");
    let sent = FREE_MAILBOX.try_send(1);
    mark!("mb_post_to");
    sent.unwrap_or_else(|_| exit(104));
    mark!("mb_get_from");
    let word = FREE_MAILBOX.receive().block(this);
    mark!("mb_get_to");
    count(word);

    mark!("sg_give_from");
    FREE_SIGNAL.signal(1);
    mark!("sg_give_to");
    mark!("sg_take_from");
    let word = FREE_SIGNAL.wait().block(this);
    mark!("sg_take_to");
    count(word);

    // Its own, before it waits.
    mark!("tn_give_from");
    LOW.unpark();
    mark!("tn_give_to");
    mark!("tn_take_from");
    this.park();
    mark!("tn_take_to");
    count(1);

    mark!("ef_set_from");
    FREE_FLAGS.set(1);
    mark!("ef_set_to");
    mark!("ef_get_from");
    let word = FREE_FLAGS.take_any(1).block(this);
    mark!("ef_get_to");
    count(word);
}
