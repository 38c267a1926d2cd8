//! The variables of Zephyr with `CONFIG_THREAD_MONITOR`, as its scheduler would note them.
#![no_std]
#![no_main]
#![allow(non_camel_case_types, non_upper_case_globals, reason = "Zephyr has these names")]

use core::hint::black_box;
use cortex_m_rt as _;
use semihosting as _;

#[repr(C)]
struct _timeout {
    node: [u32; 2],
}

#[repr(C)]
struct _thread_base {
    qnode: [u32; 2],
    pended_on: u32,
    user_options: u8,
    thread_state: u8,
    prio: i8,
    sched_locked: u8,
    timeout: _timeout,
}

#[repr(C)]
struct k_thread {
    base: _thread_base,
    next_thread: u32,
    name: [u8; 8],
}

#[repr(C)]
struct _cpu {
    nested: u32,
    irq_stack: u32,
    current: u32,
}

#[repr(C)]
struct z_kernel {
    cpus: [_cpu; 1],
    threads: u32,
}

#[unsafe(no_mangle)]
static mut _kernel: z_kernel =
    z_kernel { cpus: [_cpu { nested: 0, irq_stack: 0, current: 0 }], threads: 0 };
#[unsafe(no_mangle)]
static mut z_idle_threads: k_thread = thread(b"\0\0\0\0\0\0\0\0", 15);
#[unsafe(no_mangle)]
static mut z_main_thread: k_thread = thread(b"main\0\0\0\0", 0);
#[unsafe(no_mangle)]
static mut _k_thread_obj_reader: k_thread = thread(b"\0\0\0\0\0\0\0\0", -2);
#[unsafe(no_mangle)]
static mut ticker: k_thread = thread(b"ticker\0\0", 3);
#[unsafe(no_mangle)]
static mut sem_ready: [u32; 4] = [1; 4];

const PENDING: u8 = 2;

const fn thread(name: &[u8; 8], prio: i8) -> k_thread {
    let base = _thread_base {
        qnode: [0; 2],
        pended_on: 0,
        user_options: 0,
        thread_state: 0,
        prio,
        sched_locked: 0,
        timeout: _timeout { node: [0; 2] },
    };
    k_thread { base, next_thread: 0, name: *name }
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
    let current = unsafe { &raw mut _kernel.cpus[0].current };
    let address = |thread: *mut k_thread| thread as u32;
    let [idle, main, reader, tick] = [
        &raw mut z_idle_threads,
        &raw mut z_main_thread,
        &raw mut _k_thread_obj_reader,
        &raw mut ticker,
    ];
    // SAFETY: nothing else runs, and each place is written as a whole.
    unsafe {
        (&raw mut _kernel.threads).write_volatile(address(tick));
        (&raw mut (*tick).next_thread).write_volatile(address(reader));
        (&raw mut (*reader).next_thread).write_volatile(address(main));
        (&raw mut (*main).next_thread).write_volatile(address(idle));
    }
    run(current, address(main), 100);
    run(current, address(reader), 50);
    // SAFETY: as above.
    unsafe {
        (&raw mut (*reader).base.pended_on).write_volatile((&raw mut sem_ready) as u32 + 4);
        (&raw mut (*reader).base.thread_state).write_volatile(PENDING);
        (&raw mut (*tick).base.timeout.node).write_volatile([current as u32; 2]);
    }
    run(current, address(main), 100);
    semihosting::process::exit(0)
}
