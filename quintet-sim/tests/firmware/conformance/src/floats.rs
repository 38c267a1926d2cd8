//! What the checks of the image `floats` do with the registers of the floating-point unit: all its
//! instructions are here, in functions of assembly, so that no code of the compiler has a state in
//! it.

use core::arch::naked_asm;

/// Reads FPSCR, the first use of the unit.
#[unsafe(naked)]
pub unsafe extern "C" fn uses() {
    naked_asm!(".fpu fpv4-sp-d16", "vmrs r0, FPSCR", "bx lr")
}

/// Reads FPSCR.
#[unsafe(naked)]
pub unsafe extern "C" fn status() -> u32 {
    naked_asm!(".fpu fpv4-sp-d16", "vmrs r0, FPSCR", "bx lr")
}

/// Fills S0 to S31 from a number on, and FPSCR.
#[unsafe(naked)]
unsafe extern "C" fn fill(_first: u32, _status: u32) {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "vmsr FPSCR, r1",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov s\\number, r0",
        "adds r0, #1",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov s\\number, r0",
        "adds r0, #1",
        ".endr",
        "bx lr",
    )
}

/// The bits in which S0 to S31 and FPSCR differ from that.
#[unsafe(naked)]
unsafe extern "C" fn differs(_first: u32, _status: u32) -> u32 {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "vmrs r2, FPSCR",
        "eors r1, r2",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov r2, s\\number",
        "eors r2, r0",
        "orrs r1, r2",
        "adds r0, #1",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov r2, s\\number",
        "eors r2, r0",
        "orrs r1, r2",
        "adds r0, #1",
        ".endr",
        "mov r0, r1",
        "bx lr",
    )
}

/// Keeps what the preserved half of the registers had: nothing of these checks' callers.
pub fn filled(first: u32) {
    // SAFETY: functions by the procedure call standard, of a processor without such registers.
    unsafe { fill(first, 0x2000_0000) }
}

/// Whether the registers have changed since; 0 if not.
pub fn changed(first: u32) -> u32 {
    // SAFETY: the same.
    unsafe { differs(first, 0x2000_0000) }
}

/// Does something that changes the registers which a handler preserves, and puts them back.
pub fn preserve(act: impl FnOnce()) {
    let mut upper = [0u32; 16];
    // SAFETY: there is room for sixteen.
    unsafe { store_upper(&mut upper) };
    act();
    // SAFETY: the same.
    unsafe { load_upper(&upper) };
}

#[unsafe(naked)]
unsafe extern "C" fn store_upper(_to: &mut [u32; 16]) {
    naked_asm!(".fpu fpv4-sp-d16", "vstm r0, {{s16-s31}}", "bx lr")
}

#[unsafe(naked)]
unsafe extern "C" fn load_upper(_from: &[u32; 16]) {
    naked_asm!(".fpu fpv4-sp-d16", "vldm r0, {{s16-s31}}", "bx lr")
}

/// Stores, loads, pushes and pops the registers, pends an interrupt that has to save them, and
/// compares the stack pointer and the base.
#[unsafe(naked)]
pub unsafe extern "C" fn transfers(_bit: u32) -> u32 {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "push {{r4-r7, lr}}",
        "sub sp, #132",
        "mov r4, sp",
        "mov r5, sp",
        "movw r6, #0xe200",
        "movt r6, #0xe000",
        "vstmia r4!, {{s0-s31}}",
        "str r0, [r6]",
        "vldmdb r4!, {{s0-s31}}",
        "vpush {{s0-s15}}",
        "str r0, [r6]",
        "vpop {{s0-s15}}",
        "vldmia r4!, {{s0-s15}}",
        "vldmia r4!, {{s16-s31}}",
        "cmp r4, r5",
        "ittt ne",
        "vstmdbne r4!, {{s0-s31}}",
        "vldmiane r4!, {{s0-s31}}",
        "subne r4, r4, #128",
        "vstmia r4, {{s0-s31}}",
        "str r0, [r6]",
        "vldmia sp, {{s0-s31}}",
        "eors r4, r5",
        "mov r0, sp",
        "eors r0, r5",
        "orrs r0, r4",
        "add sp, #132",
        "pop {{r4-r7, pc}}",
    )
}
