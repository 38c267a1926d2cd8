//! What the processes of the campaign do, which is interrupted before every instruction: each asks
//! the kernel's driver `DESK` for its role, and tells it what is wrong.
//!
//! Interrupts come between any two instructions. So a process compares what it has been told with
//! what it knows itself, and the kernel judges the numbers at the end.

mod alarms;
mod asks;
mod calls;
mod faults;
#[cfg(target_abi = "eabihf")]
mod floats;
mod lives;
mod shares;
mod turns;
mod writes;

use core::arch::asm;

use crate::{command, exit, subscribe, yield_as};

/// The driver of the kernel.
const DESK: u32 = 0x8000_0004;
/// Its commands.
const ROLE: u32 = 1;
const BEGIN: u32 = 2;
const OVER: u32 = 3;
const WRONG: u32 = 4;
const RING: u32 = 5;
const SAY: u32 = 6;

/// Answers.
const FAILURE: u32 = 0;
const SUCCESS: u32 = 128;
const WORD: u32 = 129;
const WORDS: u32 = 130;
const NO_MEMORY: u32 = 9;

/// How many upcalls the driver has.
const LINES: usize = 7;

/// Does what the kernel says.
pub fn run() -> ! {
    let [_, role, ..] = command([DESK, ROLE, 0, 0]);
    match role {
        0 => exit(0),
        1 => calls::run(),
        2 => lives::run(),
        3 => faults::run(),
        4 => shares::serve(),
        5 => shares::share(),
        6 => turns::take_turns(),
        7 => turns::come_between(),
        8 => asks::run(),
        9 => writes::run(),
        11 => alarms::run(),
        #[cfg(target_abi = "eabihf")]
        10 => floats::run(),
        _ => exit(77),
    }
}

/// Tells the kernel that something is wrong, unless this is so.
#[track_caller]
fn expect(is_so: bool, found: u32) {
    if !is_so {
        command([DESK, WRONG, core::panic::Location::caller().line(), found]);
    }
}

/// From here on, interrupts come.
fn begin() {
    command([DESK, BEGIN, 0, 0]);
}

/// From here on, none comes any more.
fn over() {
    command([DESK, OVER, 0, 0]);
}

/// Lets an upcall of its own become due. Whether there was room.
fn ring(line: u32) -> bool {
    let [variant, error, ..] = command([DESK, RING, line, 0]);
    expect(variant == SUCCESS || (variant, error) == (FAILURE, NO_MEMORY), error);
    variant == SUCCESS
}

/// What the kernel answers.
fn say(first: u32, second: u32) -> u32 {
    let [variant, word, ..] = command([DESK, SAY, first, second]);
    expect(variant == WORD, variant);
    word
}

/// Subscribes to an upcall of the driver: what was subscribed before.
fn listen(line: u32, function: extern "C" fn(u32, u32, u32, u32), data: u32) -> (u32, u32) {
    let [variant, before, before_data, _] =
        subscribe([DESK, line, function as *const () as u32, data]);
    expect(variant == WORDS, variant);
    (before, before_data)
}

/// Runs an upcall, if one is due. Whether one was.
fn yield_now() -> bool {
    let mut flag = 2_u8;
    // SAFETY: the byte is there.
    unsafe { yield_as(0, &raw mut flag) };
    // SAFETY: the kernel has written there.
    let flag = unsafe { (&raw const flag).read_volatile() };
    expect(flag < 2, flag.into());
    flag == 1
}

/// Waits for that upcall of a driver, which is told of: its words.
fn wait_for(driver: u32, line: u32) -> [u32; 3] {
    let (first, second, third);
    // SAFETY: no function runs; it changes r0 to r2.
    unsafe {
        asm!("svc 0", inout("r0") 2 => first, inout("r1") driver => second,
            inout("r2") line => third);
    }
    [first, second, third]
}

/// A word that an upcall and what it interrupts share.
struct Shared(core::cell::UnsafeCell<u32>);

// SAFETY: a process has one thread.
unsafe impl Sync for Shared {}

impl Shared {
    const fn new(word: u32) -> Self {
        Self(core::cell::UnsafeCell::new(word))
    }

    fn get(&self) -> u32 {
        // SAFETY: one thread.
        unsafe { self.0.get().read_volatile() }
    }

    fn put(&self, word: u32) {
        // SAFETY: one thread.
        unsafe { self.0.get().write_volatile(word) }
    }
}
