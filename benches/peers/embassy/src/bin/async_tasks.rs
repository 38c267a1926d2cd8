//! Group `async`: what waking, spawning and sending cost in Embassy.
//!
//! The scenario is written down in `scenarios/async.toml`. Every task that is measured has an
//! executor of its own, in an interrupt of its own, so that a row's level has no other tasks than
//! the row says.

#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m_rt::entry;
use embassy_executor::{InterruptExecutor, task};
use embassy_sync::blocking_mutex::raw::{CriticalSectionRawMutex, NoopRawMutex};
use embassy_sync::channel::Channel;
use quintet_bench_common::device::{self, Interrupt};
use quintet_bench_common::park::Parking;
use quintet_bench_common::{exit, mark, park, pend, wake_itself};

quintet_bench_common::vectors!();

/// How many more tasks are on the waiter's level.
#[cfg(feature = "more_31")]
const FILLERS: usize = 31;
#[cfg(all(feature = "more_8", not(feature = "more_31")))]
const FILLERS: usize = 8;

/// Where the tasks wait that interrupts wake.
static WAITER: Parking = Parking::new();
static LOCAL: Parking = Parking::new();

/// From an interrupt to a task.
static CHANNEL: Channel<CriticalSectionRawMutex, u32, 4> = Channel::new();
/// Between two tasks of one executor.
static LOCAL_CHANNEL: OneExecutor<Channel<NoopRawMutex, u32, 4>> = OneExecutor(Channel::new());

/// What only tasks of one executor use.
struct OneExecutor<T>(T);

// SAFETY: only the tasks of one executor use it, and none preempts another.
unsafe impl<T> Sync for OneExecutor<T> {}

/// An executor for each level.
static LEVEL_1: InterruptExecutor = InterruptExecutor::new();
static LEVEL_2: InterruptExecutor = InterruptExecutor::new();
static LEVEL_3: InterruptExecutor = InterruptExecutor::new();
static LEVEL_4: InterruptExecutor = InterruptExecutor::new();

#[entry]
fn main() -> ! {
    let executors = [Interrupt::EXTI1, Interrupt::EXTI2, Interrupt::EXTI3, Interrupt::EXTI4];
    for (interrupt, priority) in executors.into_iter().zip(1..) {
        device::prioritise(interrupt, priority);
    }
    for interrupt in [Interrupt::TIM3, Interrupt::TIM4, Interrupt::TIM6] {
        device::enable(interrupt, 5);
    }
    let level_1 = LEVEL_1.start(Interrupt::EXTI1);
    level_1.spawn(waiter().unwrap_or_else(|_| exit(103)));
    #[cfg(any(feature = "more_8", feature = "more_31"))]
    for _ in 0..FILLERS {
        level_1.spawn(filler().unwrap_or_else(|_| exit(103)));
    }
    let level_2 = LEVEL_2.start(Interrupt::EXTI2);
    LEVEL_3.start(Interrupt::EXTI3).spawn(receive().unwrap_or_else(|_| exit(103)));
    let level_4 = LEVEL_4.start(Interrupt::EXTI4);
    level_4.spawn(local_receive().unwrap_or_else(|_| exit(103)));
    level_4.spawn(local_send().unwrap_or_else(|_| exit(103)));

    mark!("start");
    for _ in 0..black_box(3) {
        pend!("wake_pend", "wake_back", Interrupt::TIM3);
        mark!("spawn_call");
        match spawnee() {
            Ok(token) => level_2.spawn(token),
            Err(_) => exit(103),
        }
        device::settle();
        pend!("send_pend", "send_back", Interrupt::TIM4);
        pend!("local_pend", "local_back", Interrupt::TIM6);
    }
    mark!("end");
    exit(0)
}

/// Makes an interrupt poll its executor.
macro_rules! poll {
    ($interrupt:ident, $executor:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $interrupt() {
            // SAFETY: this is the executor's interrupt, which is enabled by its start.
            unsafe { $executor.on_interrupt() }
        }
    };
}

poll!(EXTI1, LEVEL_1);
poll!(EXTI2, LEVEL_2);
poll!(EXTI3, LEVEL_3);
poll!(EXTI4, LEVEL_4);

/// Wakes the waiter.
#[unsafe(no_mangle)]
extern "C" fn TIM3() {
    let waker = WAITER.waker();
    mark!("wake_call");
    waker.wake_by_ref();
}

/// Sends to the receiver.
#[unsafe(no_mangle)]
extern "C" fn TIM4() {
    mark!("send_call");
    let sent = CHANNEL.try_send(1);
    sent.unwrap_or_else(|_| exit(104));
}

/// Wakes the task that sends on its own level.
#[unsafe(no_mangle)]
extern "C" fn TIM6() {
    LOCAL.waker().wake_by_ref();
}

#[task]
async fn waiter() {
    loop {
        park!(WAITER, "suspend");
        mark!("resumed");
        wake_itself!("wake_itself");
        mark!("resumed_itself");
    }
}

#[cfg(any(feature = "more_8", feature = "more_31"))]
#[task(pool_size = FILLERS)]
async fn filler() {
    quintet_bench_common::park::forever().await
}

#[task]
async fn spawnee() {
    mark!("spawned");
}

#[task]
async fn receive() {
    loop {
        let received = CHANNEL.receive().await;
        mark!("received");
        if received != 1 {
            exit(104);
        }
    }
}

#[task]
async fn local_receive() {
    loop {
        let received = LOCAL_CHANNEL.0.receive().await;
        mark!("local_received");
        if received != 1 {
            exit(104);
        }
    }
}

#[task]
async fn local_send() {
    loop {
        park!(LOCAL, "local_suspend");
        mark!("local_send_call");
        let sent = LOCAL_CHANNEL.0.try_send(1);
        sent.unwrap_or_else(|_| exit(104));
    }
}
