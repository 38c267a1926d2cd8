//! Threads that wait and end with nobody ready behind them, and idle, which goes on where it was:
//! inside IT blocks and loads of several registers too. A thread that is woken from everywhere.
#![no_std]
#![no_main]

use campaign::patterns::{call, steps};
use campaign::wakes::Wakes;
use campaign::{Count, EachPoll, begin, end, handlers, lines, succeed};
use core::task::Context;
use cortex_m_rt::entry;
use lm3s6965::Interrupt;
use quintet::sync::{Operation, Semaphore};
use quintet::thread::CurrentThread;

quintet::kernel!(hardware_priority = 0x40);

quintet::thread!(static PARKED, priority = 3, stack = 768, entry = parked);
quintet::thread!(static SECOND, priority = 3, stack = 768, entry = second);
quintet::thread!(static SHORT, priority = 2, stack = 512, entry = short);
quintet::thread!(static WAITER, priority = 1, stack = 768, entry = waiter);

static WAKES: Wakes = Wakes::new();
static SECOND_WAKES: Wakes = Wakes::new();
static PERMITS: Semaphore = Semaphore::new(0);
static GIVEN: Count = Count::new();
static TAKEN: Count = Count::new();
static STARTED: Count = Count::new();
static ENDED: Count = Count::new();

fn parked(this: &CurrentThread<'_>) {
    this.block_on(EachPoll(|_: &mut Context<'_>| {
        let _polls = WAKES.poll();
        false
    }));
}

fn second(this: &CurrentThread<'_>) {
    this.block_on(EachPoll(|_: &mut Context<'_>| {
        let _polls = SECOND_WAKES.poll();
        false
    }));
}

fn short(_: &CurrentThread<'_>) {
    steps(0xb0b0_0000);
    ENDED.add();
}

extern "C" fn take(_: u32) {
    // SAFETY: only a thread calls this.
    PERMITS.take().block(&unsafe { CurrentThread::new() });
}

fn waiter(_: &CurrentThread<'_>) {
    loop {
        call(0x1111_0000, 0, take);
        TAKEN.add();
    }
}

extern "C" fn give(_: u32) {
    GIVEN.add();
    PERMITS.give();
}

extern "C" fn start(_: u32) {
    if SHORT.start().is_ok() {
        STARTED.add();
    }
}

extern "C" fn wake(_: u32) {
    WAKES.ask();
    PARKED.waker().wake();
}

extern "C" fn wake_from_above(_: u32) {
    quintet::pend(Interrupt::ADC0_SEQUENCE_0);
}

fn wake_second() {
    SECOND_WAKES.ask();
    SECOND.waker().wake();
}

handlers! {
    // Above the kernel: these may only wake.
    ADC0_SEQUENCE_0 {
        wake(0);
    }
    ADC0_SEQUENCE_1 {
        wake_second();
    }
    GPIOA {
        give(0);
    }
    GPIOB {
        start(0);
        wake(0);
    }
    GPIOD {
        wake_second();
        give(0);
    }
    GPIOE {
        give(0);
        start(0);
        let _running = WAITER.suspend();
        WAITER.resume();
    }
}

#[entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    wake(0);
    wake_second();
    for thread in [&PARKED, &SECOND, &WAITER] {
        assert!(thread.start().is_ok());
    }
    for (line, priority) in [
        (Interrupt::ADC0_SEQUENCE_0, 0x00),
        (Interrupt::ADC0_SEQUENCE_1, 0x00),
        (Interrupt::GPIOA, 0xc0),
        (Interrupt::GPIOB, 0xa0),
        (Interrupt::GPIOD, 0x80),
        (Interrupt::GPIOE, 0x40),
    ] {
        lines::enable(line, priority);
    }
    begin();
    steps(0x9a9a_0000);
    call(0x5555_0000, 0, give);
    call(0x5656_0000, 0, start);
    steps(0x6565_0000);
    call(0x5757_0000, 0, wake);
    call(0x5959_0000, 0, wake_from_above);
    call(0x5858_0000, 0, give);
    end();
    // Idle runs: nobody else can.
    WAKES.judge();
    SECOND_WAKES.judge();
    assert!(GIVEN.get() == TAKEN.get(), "a permit is lost or had twice");
    assert!(PERMITS.available() == 0, "a permit is left, and somebody waits");
    assert!(STARTED.get() == ENDED.get() && !SHORT.is_alive(), "a thread has not ended");
    succeed()
}
