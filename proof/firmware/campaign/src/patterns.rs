//! Registers and stacks full of patterns: whoever switches threads must leave them.
//!
//! - [`call`] makes a call with all registers that a function preserves, and some words of the
//!   stack, full of a pattern. What is called waits, or makes others ready.
//! - [`steps`] fills all registers and the flags, and executes what can't be gone on with by a mere
//!   jump: IT blocks, loads and stores of many registers, an odd stack.
//!
//! On a target with floating-point registers, both fill these as well if the highest four bits of
//! their seed are an even number: so that there is code with such a state, and code without one.

use core::arch::naked_asm;

#[cfg(target_abi = "eabihf")]
#[path = "floats.rs"]
pub mod floats;

/// Calls a function with floating-point registers full of patterns, if the target has some.
/// Afterwards those that a function preserves must be as they were; or all of them.
#[inline(always)]
pub fn around(seed: u32, all: bool, function: impl FnOnce()) {
    #[cfg(target_abi = "eabihf")]
    floats::around(seed, all, function);
    #[cfg(not(target_abi = "eabihf"))]
    {
        let _nothing = (seed, all);
        function();
    }
}

/// Calls a function so if the seed says so.
#[inline(always)]
fn around_some(seed: u32, all: bool, function: impl FnOnce()) {
    if seed & 1 << 28 == 0 {
        around(seed, all, function);
    } else {
        function();
    }
}

/// Calls `function`; afterwards r4 to r11 and the stack must be as they were.
pub fn call(seed: u32, argument: u32, function: extern "C" fn(u32)) {
    let mut wrong = 0;
    // SAFETY: it preserves what a function has to.
    around_some(seed, false, || wrong = unsafe { call_filled(function, argument, seed) });
    assert!(wrong == 0, "a call came back with other registers, or another stack");
}

/// The bits in which anything differs.
#[cfg(target_has_atomic = "ptr")]
#[unsafe(naked)]
unsafe extern "C" fn call_filled(_: extern "C" fn(u32), _argument: u32, _seed: u32) -> u32 {
    naked_asm!(
        "push {{r4-r11, lr}}",
        "sub sp, #12",
        "str r2, [sp]",
        "mvns r3, r2",
        "strd r3, r2, [sp, #4]",
        "mov r3, r0",
        "mov r0, r1",
        "add r4, r2, #4",
        "add r5, r2, #5",
        "add r6, r2, #6",
        "add r7, r2, #7",
        "add r8, r2, #8",
        "add r9, r2, #9",
        "add r10, r2, #10",
        "add r11, r2, #11",
        "blx r3",
        "ldr r2, [sp]",
        "sub r4, r4, r2",
        "subs r0, r4, #4",
        "sub r5, r5, r2",
        "subs r5, #5",
        "orrs r0, r5",
        "sub r6, r6, r2",
        "subs r6, #6",
        "orrs r0, r6",
        "sub r7, r7, r2",
        "subs r7, #7",
        "orrs r0, r7",
        "sub r8, r8, r2",
        "subs r8, #8",
        "orr r0, r8",
        "sub r9, r9, r2",
        "subs r9, #9",
        "orr r0, r9",
        "sub r10, r10, r2",
        "subs r10, #10",
        "orr r0, r10",
        "sub r11, r11, r2",
        "subs r11, #11",
        "orr r0, r11",
        "ldrd r3, r1, [sp, #4]",
        "mvns r3, r3",
        "eors r3, r2",
        "orrs r0, r3",
        "eors r1, r2",
        "orrs r0, r1",
        "add sp, #12",
        "pop {{r4-r11, pc}}",
    )
}

/// The bits in which anything differs; for ARMv6-M, in which few instructions use r8 to r12.
#[cfg(not(target_has_atomic = "ptr"))]
#[unsafe(naked)]
unsafe extern "C" fn call_filled(_: extern "C" fn(u32), _argument: u32, _seed: u32) -> u32 {
    naked_asm!(
        "push {{r4-r7, lr}}",
        "mov r4, r8",
        "mov r5, r9",
        "mov r6, r10",
        "mov r7, r11",
        "push {{r4-r7}}",
        "sub sp, #12",
        "str r2, [sp]",
        "mvns r3, r2",
        "str r3, [sp, #4]",
        "str r2, [sp, #8]",
        "mov r3, r0",
        "mov r0, r1",
        "mov r4, r2",
        "adds r4, #8",
        "mov r8, r4",
        "mov r4, r2",
        "adds r4, #9",
        "mov r9, r4",
        "mov r4, r2",
        "adds r4, #10",
        "mov r10, r4",
        "mov r4, r2",
        "adds r4, #11",
        "mov r11, r4",
        "adds r4, r2, #4",
        "adds r5, r2, #5",
        "adds r6, r2, #6",
        "adds r7, r2, #7",
        "blx r3",
        "ldr r2, [sp]",
        "subs r0, r4, r2",
        "subs r0, #4",
        "subs r5, r5, r2",
        "subs r5, #5",
        "orrs r0, r5",
        "subs r6, r6, r2",
        "subs r6, #6",
        "orrs r0, r6",
        "subs r7, r7, r2",
        "subs r7, #7",
        "orrs r0, r7",
        "mov r4, r8",
        "subs r4, r4, r2",
        "subs r4, #8",
        "orrs r0, r4",
        "mov r4, r9",
        "subs r4, r4, r2",
        "subs r4, #9",
        "orrs r0, r4",
        "mov r4, r10",
        "subs r4, r4, r2",
        "subs r4, #10",
        "orrs r0, r4",
        "mov r4, r11",
        "subs r4, r4, r2",
        "subs r4, #11",
        "orrs r0, r4",
        "ldr r3, [sp, #4]",
        "mvns r3, r3",
        "eors r3, r2",
        "orrs r0, r3",
        "ldr r3, [sp, #8]",
        "eors r3, r2",
        "orrs r0, r3",
        "add sp, #12",
        "pop {{r4-r7}}",
        "mov r8, r4",
        "mov r9, r5",
        "mov r10, r6",
        "mov r11, r7",
        "pop {{r4-r7, pc}}",
    )
}

/// Executes instructions that keep all registers and flags, which are patterns made of `seed`: its
/// five highest bits are the flags.
pub fn steps(seed: u32) {
    let mut wrong = 0;
    // SAFETY: it preserves what a function has to.
    around_some(seed, true, || wrong = unsafe { steps_filled(seed) });
    assert!(wrong == 0, "a thread went on with other registers, flags or another stack");
}

/// The bits in which anything differs.
#[cfg(target_has_atomic = "ptr")]
#[unsafe(naked)]
unsafe extern "C" fn steps_filled(_seed: u32) -> u32 {
    naked_asm!(
        "push {{r4-r11, lr}}",
        "sub sp, #12",
        "str r0, [sp]",
        "add r1, r0, #1",
        "add r2, r0, #2",
        "add r3, r0, #3",
        "add r4, r0, #4",
        "add r5, r0, #5",
        "add r6, r0, #6",
        "add r7, r0, #7",
        "add r8, r0, #8",
        "add r9, r0, #9",
        "add r10, r0, #10",
        "add r11, r0, #11",
        "add r12, r0, #12",
        "add lr, r0, #14",
        "msr APSR_nzcvq, r0",
        // Whatever the flags are, each register grows by one.
        "ite eq",
        "addeq r1, r1, #1",
        "addne r1, r1, #1",
        "ittee cs",
        "addcs r2, r2, #1",
        "addcs r3, r3, #1",
        "addcc r2, r2, #1",
        "addcc r3, r3, #1",
        "itete mi",
        "addmi r8, r8, #1",
        "addpl r8, r8, #1",
        "addmi r12, r12, #1",
        "addpl r12, r12, #1",
        // A stack that is no multiple of 8.
        "sub sp, #4",
        "str r4, [sp]",
        "push {{r0-r12, lr}}",
        "ldm sp, {{r0-r12, lr}}",
        "ite vs",
        "ldmvs sp, {{r0-r12}}",
        "ldmvc sp, {{r0-r12}}",
        "pop {{r0-r12, lr}}",
        "ldr r4, [sp], #4",
        "nop",
        // What has become of them.
        "str lr, [sp, #4]",
        "mrs lr, APSR",
        "str lr, [sp, #8]",
        "ldr lr, [sp]",
        "sub r0, lr",
        "sub r1, lr",
        "subs r1, #2",
        "orrs r0, r1",
        "sub r2, lr",
        "subs r2, #3",
        "orrs r0, r2",
        "sub r3, lr",
        "subs r3, #4",
        "orrs r0, r3",
        "sub r4, lr",
        "subs r4, #4",
        "orrs r0, r4",
        "sub r5, lr",
        "subs r5, #5",
        "orrs r0, r5",
        "sub r6, lr",
        "subs r6, #6",
        "orrs r0, r6",
        "sub r7, lr",
        "subs r7, #7",
        "orrs r0, r7",
        "sub r8, lr",
        "subs r8, #9",
        "orr r0, r8",
        "sub r9, lr",
        "subs r9, #9",
        "orr r0, r9",
        "sub r10, lr",
        "subs r10, #10",
        "orr r0, r10",
        "sub r11, lr",
        "subs r11, #11",
        "orr r0, r11",
        "sub r12, lr",
        "subs r12, #13",
        "orr r0, r12",
        "ldrd r1, r2, [sp, #4]",
        "sub r1, lr",
        "subs r1, #14",
        "orrs r0, r1",
        "eor r2, lr",
        "lsrs r2, #27",
        "orrs r0, r2",
        "add sp, #12",
        "pop {{r4-r11, pc}}",
    )
}

/// The bits in which anything differs; for ARMv6-M, which has no IT blocks.
#[cfg(not(target_has_atomic = "ptr"))]
#[unsafe(naked)]
unsafe extern "C" fn steps_filled(_seed: u32) -> u32 {
    naked_asm!(
        "push {{r4-r7, lr}}",
        "mov r4, r8",
        "mov r5, r9",
        "mov r6, r10",
        "mov r7, r11",
        "push {{r4-r7}}",
        "sub sp, #12",
        "str r0, [sp]",
        "mov r1, r0",
        "adds r1, #8",
        "mov r8, r1",
        "mov r1, r0",
        "adds r1, #9",
        "mov r9, r1",
        "mov r1, r0",
        "adds r1, #10",
        "mov r10, r1",
        "mov r1, r0",
        "adds r1, #11",
        "mov r11, r1",
        "mov r1, r0",
        "adds r1, #12",
        "mov r12, r1",
        "mov r1, r0",
        "adds r1, #14",
        "mov lr, r1",
        "adds r1, r0, #1",
        "adds r2, r0, #2",
        "adds r3, r0, #3",
        "adds r4, r0, #4",
        "adds r5, r0, #5",
        "adds r6, r0, #6",
        "adds r7, r0, #7",
        "msr APSR_nzcvq, r0",
        // A stack that is no multiple of 8, loads and stores of many registers: all keep the flags.
        "sub sp, #4",
        "str r4, [sp]",
        "push {{r0-r7}}",
        "mov r0, sp",
        "ldmia r0, {{r0-r7}}",
        "nop",
        "pop {{r0-r7}}",
        "add sp, #4",
        "nop",
        // What has become of them.
        "push {{r1, r2}}",
        "mrs r1, APSR",
        "eors r1, r0",
        "lsrs r1, r1, #28",
        "mov r2, r1",
        "pop {{r1}}",
        "subs r1, r1, r0",
        "subs r1, #1",
        "orrs r2, r1",
        "pop {{r1}}",
        "subs r1, r1, r0",
        "subs r1, #2",
        "orrs r2, r1",
        "subs r3, r3, r0",
        "subs r3, #3",
        "orrs r2, r3",
        "subs r4, r4, r0",
        "subs r4, #4",
        "orrs r2, r4",
        "subs r5, r5, r0",
        "subs r5, #5",
        "orrs r2, r5",
        "subs r6, r6, r0",
        "subs r6, #6",
        "orrs r2, r6",
        "subs r7, r7, r0",
        "subs r7, #7",
        "orrs r2, r7",
        "mov r1, r8",
        "subs r1, r1, r0",
        "subs r1, #8",
        "orrs r2, r1",
        "mov r1, r9",
        "subs r1, r1, r0",
        "subs r1, #9",
        "orrs r2, r1",
        "mov r1, r10",
        "subs r1, r1, r0",
        "subs r1, #10",
        "orrs r2, r1",
        "mov r1, r11",
        "subs r1, r1, r0",
        "subs r1, #11",
        "orrs r2, r1",
        "mov r1, r12",
        "subs r1, r1, r0",
        "subs r1, #12",
        "orrs r2, r1",
        "mov r1, lr",
        "subs r1, r1, r0",
        "subs r1, #14",
        "orrs r2, r1",
        "ldr r1, [sp]",
        "subs r0, r0, r1",
        "orrs r0, r2",
        "add sp, #12",
        "pop {{r4-r7}}",
        "mov r8, r4",
        "mov r9, r5",
        "mov r10, r6",
        "mov r11, r7",
        "pop {{r4-r7, pc}}",
    )
}
