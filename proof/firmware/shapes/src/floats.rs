//! All 32 floating-point registers and FPSCR, full of patterns, which whoever runs meanwhile has to
//! leave or restore.
//!
//! In assembly as a whole, so that a target without them has the functions, too: there a processor
//! that has the registers runs code that knows nothing of them.

use core::arch::naked_asm;

/// Lets the processor execute floating-point instructions; but doesn't let those make a state that
/// exceptions save (FPCCR.ASPEN), as a program that ran before may have left it.
///
/// # Safety
/// It has them, and nothing has used them yet.
pub unsafe fn enable() {
    const ACCESS: *mut u32 = 0xe000_ed88 as *mut u32;
    const CONTEXT_CONTROL: *mut u32 = 0xe000_ef34 as *mut u32;
    // SAFETY: they are there, as the registers are that they are about.
    unsafe {
        ACCESS.write_volatile(ACCESS.read_volatile() | 0xf << 20);
        CONTEXT_CONTROL.write_volatile(CONTEXT_CONTROL.read_volatile() & !(1 << 31));
    }
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// Fills the registers with patterns, stays for so many turns, and looks at them.
///
/// # Panics
/// If they have changed.
pub fn stay(seed: u32, turns: u32) {
    // SAFETY: it is a function by the procedure call standard.
    let wrong = unsafe { fill_and_stay(seed, turns) };
    assert!(wrong == 0, "other floating-point registers: {seed:#x} {wrong:#x}");
}

/// Fills those that a call preserves, and FPSCR, which nothing here changes; calls, and looks.
///
/// # Panics
/// If they have changed.
pub fn across<T>(seed: u32, function: extern "C" fn(&T), argument: &T) {
    // SAFETY: the same; the function takes one word, an address.
    let wrong = unsafe {
        let function =
            core::mem::transmute::<extern "C" fn(&T), extern "C" fn(*const ())>(function);
        fill_and_call(seed, function, core::ptr::from_ref(argument).cast())
    };
    assert!(wrong == 0, "a call lost floating-point registers: {seed:#x} {wrong:#x}");
}

/// r3 = an FPSCR made of the seed in r0: condition flags, rounding, exceptions that have come.
macro_rules! make_status {
    () => {
        "
        and r3, r0, #0x1f
        orr r3, r3, r0, lsl #28
        and r12, r0, #3
        orr r3, r3, r12, lsl #22
        vmsr FPSCR, r3
        "
    };
}

#[unsafe(naked)]
unsafe extern "C" fn fill_and_stay(_seed: u32, _turns: u32) -> u32 {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "push {{r4, lr}}",
        "vpush {{s16-s31}}",
        "vmrs r4, FPSCR",
        make_status!(),
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov s\\number, r0",
        "adds r0, #1",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov s\\number, r0",
        "adds r0, #1",
        ".endr",
        "2:",
        "subs r1, #1",
        "bne 2b",
        "vmrs r2, FPSCR",
        "eors r2, r3",
        "subs r0, #32",
        ".irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
        "vmov r3, s\\number",
        "eors r3, r0",
        "orrs r2, r3",
        "adds r0, #1",
        ".endr",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov r3, s\\number",
        "eors r3, r0",
        "orrs r2, r3",
        "adds r0, #1",
        ".endr",
        "mov r0, r2",
        "vmsr FPSCR, r4",
        "vpop {{s16-s31}}",
        "pop {{r4, pc}}",
    )
}

#[unsafe(naked)]
unsafe extern "C" fn fill_and_call(
    _seed: u32,
    _function: extern "C" fn(*const ()),
    _argument: *const (),
) -> u32 {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "push {{r4-r6, lr}}",
        "vpush {{s16-s31}}",
        "vmrs r4, FPSCR",
        make_status!(),
        "mov r5, r0",
        "mov r6, r3",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov s\\number, r0",
        "adds r0, #1",
        ".endr",
        "mov r0, r2",
        "blx r1",
        "vmrs r0, FPSCR",
        "eors r0, r6",
        ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov r3, s\\number",
        "eors r3, r5",
        "orrs r0, r3",
        "adds r5, #1",
        ".endr",
        "vmsr FPSCR, r4",
        "vpop {{s16-s31}}",
        "pop {{r4-r6, pc}}",
    )
}
