//! Lets upcalls become due, and checks which come, in which order: of a kernel that has room for
//! three. Ends with the number of the step that was wrong, or 0.
#![no_std]
#![no_main]

use core::arch::asm;

use process_apps::{command, exit, subscribe, yield_wait};

const BELLS: u32 = 0x8000_0002;
const DONE: u32 = 128;
const NO_MEMORY: [u32; 2] = [0, 9];

/// What the last upcall said.
static mut LAST: u32 = 0;

extern "C" fn ring(word: u32, _: u32, _: u32, data: u32) {
    // SAFETY: the address of `LAST`.
    unsafe { (data as usize as *mut u32).write_volatile(word) };
}

/// Subscribes to an upcall.
fn listen(number: u32) {
    subscribe([BELLS, number, ring as *const () as u32, &raw mut LAST as u32]);
}

/// Lets one become due. Whether there was room.
fn begin(number: u32, word: u32) -> bool {
    let answer = command([BELLS, 1, number, word]);
    answer[0] == DONE || if answer[..2] == NO_MEMORY { false } else { exit(100) }
}

/// What the next upcall says.
fn next() -> u32 {
    yield_wait();
    // SAFETY: one thread.
    unsafe { (&raw const LAST).read_volatile() }
}

/// What that upcall says.
fn next_of(number: u32) -> u32 {
    let word;
    // SAFETY: no function runs; it changes r0 to r2.
    unsafe {
        asm!("svc 0", inout("r0") 2 => word, inout("r1") BELLS => _, inout("r2") number => _);
    }
    word
}

/// Whether an upcall was due, which has run.
fn is_due() -> bool {
    let mut flag = 2u8;
    // SAFETY: the upcall is a C function.
    unsafe { asm!("svc 0", inout("r0") 0 => _, in("r1") &raw mut flag, clobber_abi("C")) };
    // SAFETY: the kernel has written there.
    unsafe { (&raw const flag).read_volatile() == 1 }
}

fn check(step: u32, holds: bool) {
    if !holds {
        exit(step);
    }
}

#[unsafe(no_mangle)]
extern "C" fn main() {
    (0..3).for_each(listen);
    check(1, !is_due());
    // So often that each place is the first one.
    for round in 0..7 {
        check(2, begin(0, round) && begin(1, 20) && begin(2, 30));
        check(3, !begin(0, 99));
        check(4, next() == round && next() == 20);
        check(5, begin(1, 21) && begin(2, 31));
        check(6, next() == 30 && next() == 21 && next() == 31);
        check(7, !is_due());
    }
    // Out of the middle: what was before it comes first still, and there is room again.
    for _ in 0..4 {
        check(8, begin(0, 10) && begin(1, 20) && begin(2, 30));
        check(9, next_of(1) == 20);
        check(10, begin(1, 40) && !begin(1, 50));
        check(11, next_of(1) == 40);
        check(12, next() == 10 && next() == 30 && !is_due());
    }
    // Only ever waited for, it takes no room.
    for word in 0..10 {
        check(13, begin(2, word) && next_of(2) == word);
    }
    // A new function isn't called for what was due before.
    check(14, begin(1, 1) && begin(0, 2) && begin(1, 3));
    listen(1);
    check(15, next() == 2 && !is_due());
    // One without a function is dropped where it would be called.
    subscribe([BELLS, 1, 0, 0]);
    check(16, begin(1, 1) && begin(0, 2) && next() == 2 && !is_due());
    check(17, begin(1, 5) && begin(0, 6) && next_of(1) == 5 && next() == 6);
    listen(1);
    // The last one, wherever the first place is: the two before it keep their order.
    for _ in 0..4 {
        check(18, begin(0, 1) && begin(1, 2) && begin(2, 3));
        check(19, next_of(2) == 3 && begin(2, 4) && !begin(2, 5));
        check(20, next() == 1 && next() == 2 && next() == 4 && !is_due());
    }
    exit(0);
}
