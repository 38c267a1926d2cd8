//! Threads without an application on RISC-V, which has none.

#![no_std]
#![no_main]

use panic_halt as _;

quintet::kernel!(hardware_priority = 0x40);
quintet::thread!(static WORKER, priority = 1, stack = 512, entry = run);
