//! The layout of a process, as the assembly knows it.

use ::core::mem::offset_of;

use super::Process;
#[cfg(not(plain_switch))]
use super::Range;
#[cfg(not(plain_switch))]
use crate::arch::process;
use crate::arch::process::{FLOATING, LINES, PERMITS, REGIONS_AT};
use crate::core::scheduler::offset;
#[cfg(not(plain_switch))]
use crate::process::upcall::Queue;

const _: () = assert!(offset_of!(Process, control) == 0);
const _: () = assert!(offset_of!(Process, saved) == offset::SAVED);
const _: () = assert!(offset_of!(Process, regions) == REGIONS_AT);
const _: () = assert!(offset_of!(Process, lines) == LINES);
const _: () = assert!(offset_of!(Process, permits) == PERMITS);
const _: () = assert!(offset_of!(Process, floating) == FLOATING);
#[cfg(not(plain_switch))]
const _: () = assert!(offset_of!(Range, begin) == 0);
#[cfg(not(plain_switch))]
const _: () = assert!(offset_of!(Process, flash) == process::FLASH);
#[cfg(not(plain_switch))]
const _: () = assert!(offset_of!(Process, memory) == process::MEMORY);
#[cfg(not(plain_switch))]
const _: () = assert!(offset_of!(Process, break_) == process::BREAK);
#[cfg(not(plain_switch))]
const _: () = assert!(offset_of!(Process, waiting) == process::WAITING);
#[cfg(not(plain_switch))]
const _: () = assert!(offset_of!(Process, notices) == process::NOTICES);
#[cfg(not(plain_switch))]
const _: () = assert!(offset_of!(Process, upcalls) + offset_of!(Queue, count) == process::COUNT);
