//! Processes that use floating-point registers, as a number says that the test writes into their
//! flash: the registers are the process's own from the first instruction on, whoever uses them
//! meanwhile.

use core::arch::{asm, naked_asm};

use crate::{command, exit, memory, print, restart, sleep};

/// The kernel's driver that uses the registers itself.
const DIRT: u32 = 0x8000_0004;
/// How often each thing is done.
const ROUNDS: u32 = 300;

/// What there is in all registers, and in FPSCR, put together: 0 if there is nothing.
#[unsafe(naked)]
extern "C" fn all() -> u32 {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "vmov r0, s0",
        ".irp number, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov r1, s\\number",
        "orrs r0, r1",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov r1, s\\number",
        "orrs r0, r1",
        ".endr",
        "vmrs r1, FPSCR",
        "orrs r0, r1",
        "bx lr",
    )
}

/// Fills all registers with patterns, calls a driver by a command if `calls`, stays for so many
/// turns, and looks at the registers: 0 if all are as they were.
#[unsafe(naked)]
extern "C" fn keeps(_seed: u32, _turns: u32, _calls: bool) -> u32 {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "push {{r4-r7, lr}}",
        "mov r4, r0",
        "mov r5, r1",
        "and r6, r0, #3",
        "lsls r6, r6, #22",
        "orr r6, r6, r0, lsl #28", // rounding, and flags
        "vmsr FPSCR, r6",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov s\\number, r0",
        "adds r0, #1",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov s\\number, r0",
        "adds r0, #1",
        ".endr",
        "cbz r2, 2f",
        "movw r0, #4",
        "movt r0, #0x8000",
        "movs r1, #1",
        "svc 2",
        "2:",
        "subs r5, #1",
        "bpl 2b",
        "vmrs r0, FPSCR",
        "eors r0, r6",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov r1, s\\number",
        "eors r1, r4",
        "orrs r0, r1",
        "adds r4, #1",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov r1, s\\number",
        "eors r1, r4",
        "orrs r0, r1",
        "adds r4, #1",
        ".endr",
        "pop {{r4-r7, pc}}",
    )
}

/// Ends with this unless that is 0.
fn check(found: u32, code: u32) {
    if found != 0 {
        command([DIRT, 3, code, found]);
        exit(code);
    }
}

/// Fills and looks, over interrupts, calls, and while others run.
fn keep(who: u32) {
    for round in 0..ROUNDS {
        let seed = who << 24 | round << 8;
        check(keeps(seed, round % 700, round % 3 == 0), 2);
        if round % 16 == 0 {
            sleep(100);
        }
    }
}

/// Executes a first instruction of floating point on this stack.
fn float_on(stack: u32) {
    // SAFETY: none: there is no room for what it needs.
    unsafe {
        asm!(".fpu fpv4-sp-d16", "mov sp, {}", "vmov r0, s0", "udf #0", in(reg) stack,
            options(noreturn))
    };
}

/// Floats, and then calls on this stack, or stays there.
fn call_on(stack: u32, calls: bool) {
    check(all(), 1);
    // SAFETY: none: there is no room for a frame.
    unsafe {
        asm!("mov sp, r2", "cbz r3, 2f", "movw r0, #4", "movt r0, #0x8000", "movs r1, #1", "svc 2",
            "udf #0", "2: b 2b", in("r2") stack, in("r3") u32::from(calls), options(noreturn))
    };
}

/// The end of its memory, up to which it uses it.
fn end() -> u32 {
    let end = memory([3, 0, 0, 0])[1];
    memory([0, end, 0, 0]);
    end
}

/// Does what this number says, as the process `who`.
pub fn run(what: u32, who: u32) {
    let begin = memory([2, 0, 0, 0])[1];
    // Everybody leaves something behind.
    command([DIRT, 1, 0, 0]);
    match what {
        // Two lives: nothing is left of what was before either.
        0 => {
            check(all(), 1);
            keep(who);
            if command([DIRT, 2, 0, 0])[1] == 0 {
                print("once more\n");
                restart();
            }
        }
        // It floats late.
        1 => {
            sleep(3000);
            check(all(), 1);
            keep(who);
        }
        2 => float_on(begin + 64),
        // The frame's first part lies within its memory, and what is put off doesn't.
        3 => call_on(end() + 64, true),
        4 => call_on(end() + 64, false),
        5 => call_on(begin + 64, true),
        // It floats, and ends in the middle of that.
        6 => {
            check(keeps(0x500, 100, true), 2);
            // SAFETY: none.
            unsafe { asm!("udf #0x51") };
        }
        // As 4, but interrupts use the registers where every fault has to wait.
        7 => {
            command([DIRT, 4, 0, 0]);
            call_on(end() + 64, false);
        }
        _ => exit(77),
    }
    print("floats\n");
}
