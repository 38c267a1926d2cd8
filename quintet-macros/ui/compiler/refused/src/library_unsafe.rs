//! A thread of a program without an application whose function only `unsafe` code may call.

#![no_std]
#![no_main]

use panic_halt as _;
use quintet::thread::This;

quintet::kernel!(hardware_priority = 0x20);
quintet::thread!(static LAMP, priority = 2, stack = 1024, entry = lamp);

unsafe fn lamp(_: &This<'_>) {}
