//! Works beside a hostile process: its memory and its registers must stay what it made of them.
#![no_std]
#![no_main]

#[cfg(target_has_atomic = "ptr")]
use core::arch::asm;

use process_apps::{command, sleep};

/// The driver that hears of it.
const JUDGE: u32 = 0x8000_0003;
/// The words of its memory.
const SIZE: usize = 32;
/// Its memory.
static mut PATTERN: [u32; SIZE] = [0; SIZE];

/// Complains: this was found, that is right.
fn check(found: u32, right: u32) {
    if found != right {
        command([JUDGE, 3, found, right]);
    }
}

/// Calls with this in all registers that a call doesn't change.
#[cfg(target_has_atomic = "ptr")]
fn check_registers(word: u32) {
    let (mut first, mut second): (u32, u32) = (word, !word);
    let mut third = word;
    // SAFETY: the registers are those that are named.
    unsafe {
        asm!("mov r4, {0}", "mov r8, {0}", "mov r10, {1}", "mov r12, {2}", "svc 5", "eor {0}, r4",
            "eor {1}, r10", "eor {2}, r12", "orr {2}, {0}", "eor r8, r4", "orr {2}, r8",
            inout(reg) first, inout(reg) second, inout(reg) third, inout("r0") 2 => _,
            out("r1") _, out("r2") _, out("r3") _, out("r4") _, out("r8") _, out("r10") _,
            out("r12") _);
    }
    check(first, 0);
    check(second, 0);
    check(third, 0);
}

/// Calls with this in registers that a call doesn't change; for ARMv6-M, in which few instructions
/// use r8 to r12.
#[cfg(not(target_has_atomic = "ptr"))]
fn check_registers(word: u32) {
    // SAFETY: it preserves what a function has to.
    check(unsafe { call_filled(word) }, 0);
}

/// The bits in which anything differs.
#[cfg(not(target_has_atomic = "ptr"))]
#[unsafe(naked)]
unsafe extern "C" fn call_filled(_word: u32) -> u32 {
    core::arch::naked_asm!(
        "push {{r4-r7, lr}}",
        "mov r4, r8",
        "mov r5, r10",
        "push {{r0, r4, r5}}",
        "mov r4, r0",
        "mov r8, r0",
        "mov r12, r0",
        "mvns r5, r0",
        "mov r10, r5",
        "movs r0, #2",
        "svc 5",
        "mvns r5, r5",
        "ldr r6, [sp]",
        "mov r0, r4",
        "eors r0, r6",
        "eors r5, r6",
        "orrs r0, r5",
        "mov r5, r8",
        "eors r5, r6",
        "orrs r0, r5",
        "mov r5, r12",
        "eors r5, r6",
        "orrs r0, r5",
        "mov r5, r10",
        "mvns r5, r5",
        "eors r5, r6",
        "orrs r0, r5",
        "pop {{r3, r4, r5}}",
        "mov r8, r4",
        "mov r10, r5",
        "pop {{r4-r7, pc}}",
    )
}

#[unsafe(no_mangle)]
extern "C" fn main() {
    let pattern = &raw mut PATTERN;
    let at = |index: usize| pattern.cast::<u32>().wrapping_add(index);
    let mut round = 0u32;
    loop {
        for index in 0..SIZE {
            // SAFETY: in the array.
            unsafe { at(index).write_volatile(round ^ index as u32) };
        }
        sleep(500);
        for index in 0..SIZE {
            // SAFETY: in the array.
            check(unsafe { at(index).read_volatile() }, round ^ index as u32);
        }
        check_registers(round.wrapping_mul(0x9e37_79b9));
        round = command([JUDGE, 2, 0, 0])[1];
    }
}
