//! The variables of ChibiOS with its registry, as its scheduler would note them.
#![no_std]
#![no_main]
#![allow(non_camel_case_types, non_upper_case_globals, reason = "ChibiOS has these names")]

use core::hint::black_box;
use cortex_m_rt as _;
use semihosting as _;

#[repr(C)]
struct ch_ready_list {
    queue: [u32; 2],
    prio: u32,
    newer: u32,
    older: u32,
    current: u32,
}

#[repr(C)]
struct ch_system {
    rlist: ch_ready_list,
}

#[repr(C)]
struct ch_thread {
    queue: [u32; 2],
    prio: u32,
    newer: u32,
    name: *const u8,
    state: u8,
    u: u32,
}

#[unsafe(no_mangle)]
static mut ch: ch_system =
    ch_system { rlist: ch_ready_list { queue: [0; 2], prio: 0, newer: 0, older: 0, current: 0 } };
#[unsafe(no_mangle)]
static mut bus_mutex: [u32; 4] = [0; 4];
static mut IDLE: ch_thread = thread(c"idle", 1, READY);
static mut MAIN: ch_thread = thread(c"main", 128, CURRENT);
static mut BLINKER: ch_thread = thread(c"blinker", 129, SLEEPING);
static mut LOGGER: ch_thread = thread(c"logger", 130, WTMTX);

const READY: u8 = 0;
const CURRENT: u8 = 1;
const WTMTX: u8 = 6;
const SLEEPING: u8 = 8;

const fn thread(name: &'static core::ffi::CStr, prio: u32, state: u8) -> ch_thread {
    ch_thread { queue: [0; 2], prio, newer: 0, name: name.as_ptr().cast(), state, u: 0 }
}

/// A thread runs for a while.
fn run(current: *mut u32, thread: u32, rounds: u32) {
    // SAFETY: the only code writes the kernel's word of the running thread.
    unsafe { current.write_volatile(thread) };
    for round in 0..rounds {
        black_box(round);
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: only the address is taken.
    let current = unsafe { &raw mut ch.rlist.current };
    let threads = [&raw mut IDLE, &raw mut MAIN, &raw mut BLINKER, &raw mut LOGGER];
    let end = (&raw mut ch) as u32;
    // The registry is a ring through the list of ready threads.
    // SAFETY: nothing else runs.
    unsafe {
        (&raw mut ch.rlist.newer).write_volatile(threads[0] as u32);
        for (thread, next) in threads.iter().zip(&threads[1..]) {
            (&raw mut (**thread).newer).write_volatile(*next as u32);
        }
        (&raw mut LOGGER.newer).write_volatile(end);
        (&raw mut LOGGER.u).write_volatile((&raw mut bus_mutex) as u32);
    }
    run(current, threads[2] as u32, 50);
    run(current, threads[1] as u32, 100);
    semihosting::process::exit(0)
}
