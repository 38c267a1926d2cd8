//! Group `actors`: events, queues, pools and time events of actors.
//!
//! The scenario is written down in `scenarios/actors.toml`. The levels are written by hand, as the
//! macro's expansion would have them.

#![no_std]
#![no_main]

use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};

use quintet::actor::{Address, Deferred, EventPool, Fill, Handle, Shared, TimeEvent};
use quintet::export::actor::{self, Definition, Queue};
use quintet::export::{Ceiling, Few, Level};
use quintet::time::{Duration, Instant};
use quintet_bench_common::device::{Interrupt, NVIC_PRIO_BITS, enable};
use quintet_bench_common::{exit, mark, pend};

quintet_bench_common::vectors!();

quintet::__kernel_lock!(Ceiling::kernel(5, NVIC_PRIO_BITS));
quintet::__timer_nodes!(1);
quintet::systick_tick!(Clock, 8_000_000);

#[unsafe(no_mangle)]
extern "Rust" fn __quintet_levels() -> &'static [Level] {
    &[]
}

/// What is published: as large as the events of the peers at least.
type Block = [u32; 4];

/// The events of all actors.
#[derive(Clone)]
enum Event {
    /// One round of the measurements.
    Round,
    /// By value.
    Number(u32),
    /// By a handle.
    Block(Shared<Block>),
    /// From the interrupt.
    Interrupt,
    /// At its time.
    Time,
}

impl From<Shared<Block>> for Event {
    fn from(block: Shared<Block>) -> Self {
        Self::Block(block)
    }
}

static POOL: EventPool<Block, 8> = EventPool::new();

/// What arrived, so that nothing is left out unseen.
static SUM: AtomicU32 = AtomicU32::new(0);

const ROUNDS: u32 = 3;

fn count(event: Event) {
    let number = match event {
        Event::Number(number) => number,
        Event::Block(block) => block[0],
        Event::Round | Event::Interrupt | Event::Time => 1,
    };
    SUM.store(SUM.load(Ordering::Relaxed) + number, Ordering::Relaxed);
}

static READY_1: Few<4> = Few::new();

quintet::__routine!(EXTI1, {
    if READY_1.take(0) {
        low_0::job();
    }
    if READY_1.take(1) {
        low_1::job();
    }
    if READY_1.take(2) {
        low_2::job();
    }
    if READY_1.take(3) {
        low_3::job();
    }
});
// An actor that is alone on its level needs no flag: its queue says whether it is ready.
quintet::__routine!(EXTI2, middle::job());
quintet::__routine!(EXTI3, high::job());
quintet::__routine!(EXTI4, urgent::job());

/// What the macro writes for an actor.
macro_rules! actor {
    ($name:ident, $length:literal, $interrupt:ident $(, $ready:ident.set($slot:literal))?) => {
        mod $name {
            use super::*;

            pub static QUEUE: Queue<Event, $length> = Queue::new();

            static ADDRESS: Address<Event> = Address::of::<Actor, $length>(&QUEUE, 0);

            struct Actor;

            impl Definition<$length> for Actor {
                type Event = Event;
                const NAME: &'static str = stringify!($name);

                #[inline(always)]
                fn queue(_: usize) -> &'static Queue<Event, $length> {
                    &QUEUE
                }

                #[inline(always)]
                fn wake(_: usize) {
                    $($ready.set($slot);)?
                    quintet::export::pend(Interrupt::$interrupt as u16);
                }
            }

            #[allow(dead_code)]
            pub fn post(event: Event) {
                actor::post::<Actor, $length>(0, event);
            }

            #[allow(dead_code)]
            pub const fn handle() -> Handle<Event> {
                ADDRESS.handle()
            }

            #[inline(always)]
            pub fn job() {
                if let Some(event) = actor::take::<Actor, $length>(0) {
                    super::$name(event);
                }
            }
        }
    };
}

actor!(low_0, 8, EXTI1, READY_1.set(0));
actor!(low_1, 4, EXTI1, READY_1.set(1));
actor!(low_2, 4, EXTI1, READY_1.set(2));
actor!(low_3, 4, EXTI1, READY_1.set(3));
actor!(middle, 4, EXTI2);
actor!(high, 4, EXTI3);
actor!(urgent, 4, EXTI4);

static EXPIRING: TimeEvent<Event> = TimeEvent::new(urgent::handle(), Event::Time);
static NEVER: TimeEvent<Event> = TimeEvent::new(urgent::handle(), Event::Time);

/// What the macro writes for a topic of one subscriber.
fn publish_1(topic: Shared<Block>) {
    low_0::post(topic.into());
}

/// What the macro writes for a topic of four.
fn publish_4(topic: Shared<Block>) {
    low_0::post(topic.clone().into());
    low_1::post(topic.clone().into());
    low_2::post(topic.clone().into());
    low_3::post(topic.into());
}

fn low_0(event: Event) {
    count(event);
}

fn low_1(event: Event) {
    count(event);
}

fn low_2(event: Event) {
    count(event);
}

fn low_3(event: Event) {
    count(event);
}

fn high(event: Event) {
    mark!("high_entered");
    count(event);
    mark!("high_leaving");
}

/// What the interrupt and time events post to.
fn urgent(event: Event) {
    mark!("urgent_entered");
    count(event);
}

/// The actor that is measured.
fn middle(_: Event) {
    static LATER: quintet::RacyCell<Deferred<Event, 4>> = quintet::RacyCell::new(Deferred::new());
    // SAFETY: a local of the only actor that uses it.
    let later = unsafe { &mut *LATER.get_mut() };
    settle();

    mark!("post_from");
    low_0::post(Event::Number(1));
    mark!("post_to");
    mark!("higher_from");
    high::post(Event::Number(1));
    // One instruction behind the store that pends comes before the interrupt.
    cortex_m::asm::nop();
    mark!("higher_back");

    mark!("new_from");
    let block = POOL.try_new([1; 4]);
    mark!("new_to");
    let Ok(block) = block else { exit(104) };
    mark!("recycle_from");
    drop(block);
    mark!("recycle_to");

    let Ok(block) = POOL.try_new([1; 4]) else { exit(104) };
    let block = block.share();
    mark!("publish_1_from");
    publish_1(block);
    mark!("publish_1_to");
    let Ok(block) = POOL.try_new([1; 4]) else { exit(104) };
    let block = block.share();
    mark!("publish_4_from");
    publish_4(block);
    mark!("publish_4_to");

    let event = black_box(Event::Number(1));
    mark!("defer_from");
    let deferred = later.defer(event);
    mark!("defer_to");
    if deferred.is_err() {
        exit(104)
    }
    mark!("recall_from");
    let recalled = later.recall(low_0::handle());
    mark!("recall_to");
    if !recalled {
        exit(104)
    }
    pend!("interrupt_from", "interrupt_back", Interrupt::TIM3);
    times();
}

/// Waits for a tick: the next comes 8000 cycles behind it.
fn settle() {
    let now = Instant::now();
    while Instant::now() == now {
        core::hint::spin_loop();
    }
}

#[inline(always)]
fn times() {
    const TICK: Duration = Duration::from_millis(1);
    pend!("tick_from", "tick_to", SysTick);
    mark!("arm_from");
    NEVER.arm(TICK);
    mark!("arm_to");
    mark!("rearm_from");
    let was_armed = NEVER.rearm(TICK);
    mark!("rearm_to");
    mark!("disarm_from");
    let is_armed = NEVER.disarm();
    mark!("disarm_to");
    if !was_armed || !is_armed {
        exit(105)
    }
    // One that has been armed since the last tick, and one that has waited for longer.
    EXPIRING.arm(TICK);
    pend!("expiry_from", "expiry_back", SysTick);
    EXPIRING.arm(2 * TICK);
    settle();
    pend!("alarm_from", "alarm_back", SysTick);
}

/// Posts to the higher actor.
#[unsafe(no_mangle)]
unsafe extern "C" fn TIM3() {
    urgent::post(Event::Interrupt);
}

/// What an actor takes beside its queue's places and its data.
#[unsafe(no_mangle)]
#[used]
static ACTOR_BYTES: usize = size_of::<Queue<Event, 1>>() - size_of::<Event>();

/// What an event takes in a queue.
#[unsafe(no_mangle)]
#[used]
static EVENT_BYTES: usize = size_of::<Event>();

/// What a time event takes.
#[unsafe(no_mangle)]
#[used]
static TIME_EVENT_BYTES: usize = size_of::<TimeEvent<Event>>();

#[cortex_m_rt::entry]
fn main() -> ! {
    let peripherals = cortex_m::Peripherals::take();
    Clock::start(peripherals.unwrap_or_else(|| exit(104)).SYST);
    enable(Interrupt::EXTI1, 1);
    enable(Interrupt::EXTI2, 2);
    enable(Interrupt::EXTI3, 3);
    enable(Interrupt::EXTI4, 4);
    enable(Interrupt::TIM3, 5);
    // The first use of a block takes longer: each is linked into the pool's list once.
    let used = [(); 8].map(|()| POOL.try_new([0; 4]));
    drop(used);
    mark!("start");
    for _ in 0..black_box(ROUNDS) {
        middle::post(Event::Round);
        quintet_bench_common::device::settle();
    }
    mark!("end");
    let Fill { high_water, .. } = low_0::QUEUE.fill();
    exit(if SUM.load(Ordering::Relaxed) == 11 * ROUNDS && high_water > 1 { 0 } else { 105 })
}
