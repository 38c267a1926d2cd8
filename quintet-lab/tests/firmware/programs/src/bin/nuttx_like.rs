//! The variables of NuttX without names of tasks, as its scheduler would note them.
#![no_std]
#![no_main]
#![allow(non_camel_case_types, non_upper_case_globals, reason = "NuttX has these names")]

use core::hint::black_box;
use cortex_m_rt as _;
use semihosting as _;

#[repr(u8)]
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "the debug information has all")]
enum tstate_e {
    TSTATE_TASK_INVALID,
    TSTATE_TASK_PENDING,
    TSTATE_TASK_READYTORUN,
    TSTATE_TASK_RUNNING,
    TSTATE_TASK_INACTIVE,
    TSTATE_WAIT_SEM,
    TSTATE_WAIT_SIG,
}

#[repr(C)]
struct tcb_s {
    flink: u32,
    blink: u32,
    entry: extern "C" fn(),
    sched_priority: u8,
    task_state: tstate_e,
    waitsem: u32,
}

#[repr(C)]
struct pidhash_s {
    tcb: u32,
    pid: u32,
}

#[unsafe(no_mangle)]
static mut g_readytorun: [u32; 2] = [0; 2];
#[unsafe(no_mangle)]
static mut g_pidhash: [pidhash_s; 4] = [const { pidhash_s { tcb: 0, pid: 0 } }; 4];
#[unsafe(no_mangle)]
static mut g_console: [u32; 2] = [0; 2];
static mut IDLE: tcb_s = task(os_start, 0, tstate_e::TSTATE_TASK_READYTORUN);
static mut SHELL: tcb_s = task(nsh_main, 100, tstate_e::TSTATE_WAIT_SEM);
static mut WORKER: tcb_s = task(work_hpthread, 192, tstate_e::TSTATE_WAIT_SIG);

#[unsafe(no_mangle)]
extern "C" fn os_start() {
    black_box(1);
}

#[unsafe(no_mangle)]
extern "C" fn nsh_main() {
    black_box(2);
}

#[unsafe(no_mangle)]
extern "C" fn work_hpthread() {
    black_box(3);
}

const fn task(entry: extern "C" fn(), sched_priority: u8, task_state: tstate_e) -> tcb_s {
    tcb_s { flink: 0, blink: 0, entry, sched_priority, task_state, waitsem: 0 }
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
    let current = unsafe { &raw mut g_readytorun[0] };
    let tasks = [&raw mut IDLE, &raw mut SHELL, &raw mut WORKER].map(|task| task as u32);
    for (index, task) in tasks.iter().enumerate() {
        // SAFETY: nothing else runs.
        unsafe {
            (&raw mut g_pidhash[index].pid).write_volatile(index as u32);
            (&raw mut g_pidhash[index].tcb).write_volatile(*task);
        }
    }
    run(current, tasks[1], 50);
    // SAFETY: as above.
    unsafe { (&raw mut SHELL.waitsem).write_volatile((&raw mut g_console) as u32) };
    run(current, tasks[0], 100);
    semihosting::process::exit(0)
}
