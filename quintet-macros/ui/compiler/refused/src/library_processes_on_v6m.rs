//! Processes without an application on ARMv6-M, which can't switch them.

#![no_std]
#![no_main]

use panic_halt as _;

quintet::processes!(
    static PROCESSES,
    count = 2,
    priority = 1,
    flash = 0x0002_0000..0x0004_0000,
    memory = 0x2000_4000..0x2001_0000,
    drivers = [],
);
