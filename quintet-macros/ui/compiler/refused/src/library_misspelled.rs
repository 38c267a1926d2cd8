//! What is wrong in the macros of a program without an application: each says its form.

#![no_std]
#![no_main]

use panic_halt as _;
use quintet::thread::CurrentThread;

quintet::kernel!(priority = 0x20);

mod guard {
    quintet::kernel!(hardware_priority = 0x20, stack_guard = maybe);
}

quintet::thread!(static MISSPELLED, prio = 2, stack = 1024, entry = run);

quintet::thread!(static TWICE, priority = 2, stack = 1024, stack = 512, entry = run);

quintet::thread!(static CLOSURE, priority = 2, stack = 1024, entry = |_| {});

quintet::thread!(static WITHOUT_ENTRY, priority = 2, stack = 1024);

quintet::thread!(static ALONE);

quintet::thread!(NO_STATIC, priority = 2, stack = 1024, entry = run);

fn run(_: &CurrentThread<'_>) {}
