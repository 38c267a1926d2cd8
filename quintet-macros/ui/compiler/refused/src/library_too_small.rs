//! Threads of a program without an application have stacks and priorities as others have.

#![no_std]
#![no_main]

use panic_halt as _;
use quintet::thread::CurrentThread;

quintet::thread!(static SMALL, priority = 2, stack = 2 * 100, entry = run);

quintet::thread!(static URGENT, entry = run, stack = 1024, priority = 32);

fn run(_: &CurrentThread<'_>) {}
