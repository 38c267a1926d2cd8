//! Embassy's executors, recorded: their feature `trace` calls the functions at the end of this
//! file, and `quintet trace --from-board` shows which task ran when, and who woke it.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use embassy_executor::{Executor, InterruptExecutor};
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::signal::Signal;
use lm3s6965::{Interrupt, interrupt};
use quintet::recorder;
use semihosting::println;

static URGENT: InterruptExecutor = InterruptExecutor::new();
static ROUND: Signal<CriticalSectionRawMutex, u32> = Signal::new();
static DONE: Signal<CriticalSectionRawMutex, u32> = Signal::new();

/// Asks for five rounds, and waits for each.
#[embassy_executor::task]
async fn asks() {
    for round in 1..=5 {
        ROUND.signal(round);
        let done = DONE.wait().await;
        assert_eq!(done, round);
    }
    println!("5 rounds");
    semihosting::process::exit(0)
}

/// Works on each round, in an interrupt.
#[embassy_executor::task]
async fn works() {
    loop {
        let round = ROUND.wait().await;
        cortex_m::asm::delay(100 * round);
        DONE.signal(round);
    }
}

#[entry]
fn main() -> ! {
    static mut EXECUTOR: Option<Executor> = None;

    assert!(recorder::start());
    let spawner = URGENT.start(Interrupt::UART1);
    spawner.spawn(works().unwrap());
    let executor = EXECUTOR.insert(Executor::new());
    executor.run(|spawner| spawner.spawn(asks().unwrap()))
}

#[interrupt]
fn UART1() {
    // SAFETY: `main` has started it, and nobody else calls this.
    unsafe { URGENT.on_interrupt() }
}

// begin: hooks
/// A task begins to run.
#[unsafe(no_mangle)]
fn _embassy_trace_task_exec_begin(_executor: u32, task: u32) {
    recorder::task_begins(task);
}

/// It waits again, or has ended.
#[unsafe(no_mangle)]
fn _embassy_trace_task_exec_end(_executor: u32, task: u32) {
    recorder::task_ends(task);
}

/// It is woken by whoever runs now.
#[unsafe(no_mangle)]
fn _embassy_trace_task_ready_begin(_executor: u32, task: u32) {
    recorder::task_ready(task);
}

// The others are not recorded.
#[unsafe(no_mangle)]
fn _embassy_trace_poll_start(_executor: u32) {}
#[unsafe(no_mangle)]
fn _embassy_trace_executor_idle(_executor: u32) {}
#[unsafe(no_mangle)]
fn _embassy_trace_task_new(_executor: u32, _task: u32) {}
#[unsafe(no_mangle)]
fn _embassy_trace_task_end(_executor: u32, _task: u32) {}
// end: hooks
