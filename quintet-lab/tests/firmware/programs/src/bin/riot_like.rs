//! The variables of RIOT, as its scheduler would note them.
#![no_std]
#![no_main]
#![allow(non_camel_case_types, non_upper_case_globals, reason = "RIOT has these names")]

use core::hint::black_box;
use cortex_m_rt as _;
use semihosting as _;

#[repr(u8)]
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "the debug information has all")]
enum thread_status_t {
    STATUS_STOPPED,
    STATUS_ZOMBIE,
    STATUS_SLEEPING,
    STATUS_MUTEX_BLOCKED,
    STATUS_RECEIVE_BLOCKED,
    STATUS_RUNNING,
    STATUS_PENDING,
}

#[repr(C)]
struct _thread {
    sp: u32,
    status: thread_status_t,
    priority: u8,
    pid: u16,
    name: *const u8,
}

#[unsafe(no_mangle)]
static mut sched_active_thread: u32 = 0;
#[unsafe(no_mangle)]
static mut sched_threads: [u32; 4] = [0; 4];
static mut IDLE: _thread = thread(c"idle", 15, thread_status_t::STATUS_PENDING);
static mut MAIN: _thread = thread(c"main", 7, thread_status_t::STATUS_RUNNING);
static mut NETWORK: _thread = thread(c"ipv6", 4, thread_status_t::STATUS_RECEIVE_BLOCKED);

const fn thread(name: &'static core::ffi::CStr, priority: u8, status: thread_status_t) -> _thread {
    _thread { sp: 0, status, priority, pid: 0, name: name.as_ptr().cast() }
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
    let current = &raw mut sched_active_thread;
    let threads = [&raw mut IDLE, &raw mut MAIN, &raw mut NETWORK].map(|thread| thread as u32);
    for (index, thread) in threads.iter().enumerate() {
        // SAFETY: nothing else runs; the first element stays 0, as RIOT has it.
        unsafe { (&raw mut sched_threads[index + 1]).write_volatile(*thread) };
    }
    run(current, threads[2], 50);
    run(current, threads[1], 100);
    semihosting::process::exit(0)
}
