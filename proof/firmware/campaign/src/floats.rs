//! All 32 floating-point registers and FPSCR, full of patterns: whoever runs meanwhile must leave
//! them, or restore them.
//!
//! For targets that pass arguments in these registers. `patterns` has the part that does nothing
//! elsewhere.

use core::arch::naked_asm;

/// Fills all registers, stays, stores and loads some of them, and looks at them.
///
/// # Panics
/// If they have changed.
pub fn stay(seed: u32) {
    extern "C" fn stores_and_loads(_: *mut ()) {
        // SAFETY: it changes no register.
        unsafe { store_and_load() };
    }
    // SAFETY: the function takes no notice of its argument.
    let wrong = unsafe { fill_and_call(seed, 1, stores_and_loads, core::ptr::null_mut()) };
    assert!(wrong == 0, "other floating-point registers: {seed:#x} {wrong:#x}");
}

/// Calls a function with all registers full of patterns. Afterwards those that a function preserves
/// must be as they were, with FPSCR; or all of them.
///
/// # Panics
/// If they have changed.
pub fn around<F: FnOnce()>(seed: u32, all: bool, function: F) {
    extern "C" fn run<F: FnOnce()>(function: *mut ()) {
        // SAFETY: it is the one below, which nothing else uses meanwhile.
        let function = unsafe { (*function.cast::<Option<F>>()).take() };
        if let Some(function) = function {
            function();
        }
    }
    let mut function = Some(function);
    // SAFETY: the function is called with what it takes.
    let wrong =
        unsafe { fill_and_call(seed, all.into(), run::<F>, (&raw mut function).cast::<()>()) };
    assert!(wrong == 0, "a call lost floating-point registers: {seed:#x} {wrong:#x}");
}

/// What there is in FPSCR.
#[unsafe(naked)]
pub extern "C" fn status() -> u32 {
    naked_asm!(".fpu fpv4-sp-d16", "vmrs r0, FPSCR", "bx lr")
}

/// What there is in all registers and FPSCR, put together: 0 if there is nothing.
#[unsafe(naked)]
pub extern "C" fn all() -> u32 {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "vmrs r0, FPSCR",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov r1, s\\number",
        "orrs r0, r1",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov r1, s\\number",
        "orrs r0, r1",
        ".endr",
        "bx lr",
    )
}

/// Leaves something else in all registers and in FPSCR, also in those that a function preserves:
/// what others have there must come back by a switch.
///
/// # Safety
/// Nothing of the thread's is in the registers: it has no numbers, and isn't within [`around`].
#[unsafe(naked)]
pub unsafe extern "C" fn spoil(_seed: u32) {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "lsls r1, r0, #28",
        "orr r1, r1, #0xc00000",
        "orr r1, r1, #0x1f",
        "vmsr FPSCR, r1",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov s\\number, r0",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov s\\number, r0",
        ".endr",
        "bx lr",
    )
}

/// Instructions that leave all registers and FPSCR as they are.
#[unsafe(naked)]
unsafe extern "C" fn store_and_load() {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "vpush {{s5-s9}}",
        "vldm sp, {{s5-s9}}",
        "vpop {{s5-s9}}",
        "cmp sp, #0",
        "ite ne",
        "vmovne.f32 s30, s30",
        "vmoveq.f32 s30, s31",
        "vmov r0, r1, s14, s15",
        "vmov s14, s15, r0, r1",
        "bx lr",
    )
}

/// The bits in which anything differs.
#[unsafe(naked)]
unsafe extern "C" fn fill_and_call(
    _seed: u32,
    _all: u32,
    _function: extern "C" fn(*mut ()),
    _argument: *mut (),
) -> u32 {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "push {{r4-r8, lr}}",
        "vpush {{s16-s31}}",
        "vmrs r8, FPSCR",
        "mov r4, r0",
        "mov r5, r1",
        // FPSCR: condition flags, rounding, exceptions that have come.
        "eor r1, r0, r0, lsr #16",
        "and r6, r1, #0x1f",
        "orr r6, r6, r1, lsl #28",
        "and r1, r1, #3",
        "orr r6, r6, r1, lsl #22",
        "vmsr FPSCR, r6",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov s\\number, r0",
        "adds r0, #1",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov s\\number, r0",
        "adds r0, #1",
        ".endr",
        "mov r0, r3",
        "blx r2",
        "vmrs r0, FPSCR",
        "eors r0, r6",
        "add r1, r4, #16",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov r2, s\\number",
        "eors r2, r1",
        "orrs r0, r2",
        "adds r1, #1",
        ".endr",
        "cmp r5, #0",
        "beq.w 2f",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov r2, s\\number",
        "eors r2, r4",
        "orrs r0, r2",
        "adds r4, #1",
        ".endr",
        "2:",
        "vmsr FPSCR, r8",
        "vpop {{s16-s31}}",
        "pop {{r4-r8, pc}}",
    )
}
