//! Group `tock`: what processes pay for system calls, switches and upcalls.
//!
//! The scenario is written down in `scenarios/tock.toml`. The processes are in [`processes`], in
//! the same image; with `processes_8` there are so many, of which the others wait. With `ipc` they
//! send each other messages by that. With `permissions` each may call only the drivers of a list.

#![no_std]
#![no_main]

#[path = "../drivers.rs"]
mod drivers;
#[path = "../header.rs"]
mod header;
#[path = "../processes.rs"]
mod processes;

use core::hint::black_box;
use core::sync::atomic::Ordering;

use drivers::{CALLS, INTERRUPTS, Null, TURNS, Wake, wake};
use processes::{COUNT, MORE, ROUNDS};
use quintet::process::buttons::Buttons;
use quintet::process::console::Console;
#[cfg(feature = "ipc")]
use quintet::process::ipc::Ipc;
use quintet::process::leds::Leds;
#[cfg(not(feature = "ipc"))]
use quintet::process::low_level_debug::LowLevelDebug;
use quintet::process::random::Random;
use quintet::process::temperature::Temperature;
use quintet::process::{Clients, Process, Status};
use quintet_bench_common::device::{Interrupt, enable};
use quintet_bench_common::{exit, mark, pend};

quintet_bench_common::vectors!();

quintet::kernel!(hardware_priority = 0x20);

static CONSOLE: Console<COUNT> = Console::new(|| {});
static LEDS: Leds<4> = Leds::new(|_, _| {});
static BUTTONS: Buttons<COUNT, 2> = Buttons::new(|_| false);
static RANDOM: Random<COUNT> = Random::new(|| {});
static TEMPERATURE: Temperature<COUNT> = Temperature::new(|| {});
#[cfg(not(feature = "ipc"))]
static DEBUG_OR_IPC: LowLevelDebug = LowLevelDebug::new(|_, _| {});
#[cfg(feature = "ipc")]
static DEBUG_OR_IPC: Ipc<COUNT> = Ipc::new();
static WAKE: Wake = Wake { clients: Clients::new([(); COUNT]) };
static NULL: Null = Null { clients: Clients::new([(); COUNT]) };

// The driver that is measured comes last: where a table is searched, no other takes longer.
quintet::processes!(
    static PROCESSES,
    count = COUNT,
    priority = 2,
    flash = header::FLASH..header::FLASH + COUNT as u32 * header::SIZE,
    memory = 0x2000_8000..0x2000_c000,
    drivers = [&CONSOLE, &LEDS, &BUTTONS, &RANDOM, &TEMPERATURE, &DEBUG_OR_IPC, &WAKE, &NULL],
);

/// How many upcalls of a process may be due: as many as without being asked.
const UPCALLS: usize = 10;

/// What a process takes, without its own memory, what drivers keep for it, and upcalls.
#[unsafe(no_mangle)]
#[used]
static RECORD_BYTES: usize = size_of::<Process>();

/// What an upcall that is due takes.
#[unsafe(no_mangle)]
#[used]
static UPCALL_BYTES: usize = Process::UPCALL_BYTES;

/// A process with room for upcalls that are due.
#[unsafe(no_mangle)]
#[used]
static PROCESS_BYTES: usize = size_of::<Process>() + UPCALLS * Process::UPCALL_BYTES;

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: nothing of the kernel was used before.
    unsafe { quintet::thread::initialise() };
    enable(Interrupt::TIM3, 5);
    enable(Interrupt::TIM4, 5);
    mark!("start");
    // Each runs as soon as it is there. The one that is measured comes last, and goes through its
    // rounds before this returns.
    // SAFETY: the linker's script leaves the flash and the memory to processes.
    unsafe { PROCESSES.start(|_| {}) };
    for _ in 0..black_box(ROUNDS) {
        // The partner runs, so that the regions are another one's.
        quintet_bench_common::device::pend(Interrupt::TIM4);
        pend!("irq_from", "irq_back", Interrupt::TIM3);
    }
    let all_wait = PROCESSES.processes().iter().all(|process| process.status() == Status::Alive);
    let all_ended = end_processes();
    mark!("end");
    let counts = [&CALLS, &TURNS, &INTERRUPTS].map(|count| count.load(Ordering::Relaxed));
    exit(if all_wait && all_ended && counts == [ROUNDS, 2 * ROUNDS, 2 * ROUNDS] { 0 } else { 104 })
}

/// Lets the partner begin anew, and ends all processes. What was asked for is done when a call
/// returns, as idle is the least urgent.
fn end_processes() -> bool {
    let begins_anew = PROCESSES.processes()[MORE as usize].restart().is_ok();
    let end =
        |process: &Process| process.terminate().is_ok() && process.status() == Status::Terminated;
    PROCESSES.processes().iter().all(end) && begins_anew
}

/// Wakes the process that is measured.
#[unsafe(no_mangle)]
unsafe extern "C" fn TIM3() {
    wake(1, 1);
}

/// Wakes its partner.
#[unsafe(no_mangle)]
unsafe extern "C" fn TIM4() {
    wake(0, 1);
}
