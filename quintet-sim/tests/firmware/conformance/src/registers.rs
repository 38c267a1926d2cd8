//! Register values after reset, what can be written, the vector table, and the reset itself
//! (B1.5.5, B3.2).

use core::arch::asm;

use crate::support::*;

/// The registers that a reset gives known values.
fn reset_values(name: &str, masks: &str) {
    note(read(VTOR));
    note(read(AIRCR));
    note(read(SCR));
    note(read(CCR));
    note(read(SHCSR));
    note(read(CFSR));
    note(read(0xE000_ED94)); // MPU_CTRL
    note(read(0xE000_E010) & 3);
    note(read(0xE000_E100));
    check(name, &[0, 0xFA05_0000, 0, 0x200, 0, 0, 0, 0, 0]);
    let (primask, basepri, faultmask, control, ipsr): (u32, u32, u32, u32, u32);
    // SAFETY: reads only.
    unsafe {
        asm!("mrs {0}, primask", "mrs {1}, basepri", "mrs {2}, faultmask", "mrs {3}, control",
            "mrs {4}, ipsr",
            out(reg) primask, out(reg) basepri, out(reg) faultmask, out(reg) control,
            out(reg) ipsr)
    }
    check_word(masks, 0, primask | basepri | faultmask | control | ipsr);
}

/// Before anything else.
pub fn at_start() {
    reset_values("start.registers", "start.masks");
}

/// After the reset that the checks have asked for: everything is as at the start, and RAM is kept.
pub fn after_reset() {
    print("ok reset.keeps_ram\n");
    reset_values("reset.registers", "reset.masks");
}

/// What registers keep of what is written.
pub fn checks() {
    check_word("cpuid.is_a_cortex_m3", 0x410F_C230, read(0xE000_ED00) & 0xFF0F_FFF0);
    let table = read(VTOR);
    write(VTOR, 0x2000_8000);
    note(read(VTOR));
    write(VTOR, table);
    check("vtor.reads_back", &[0x2000_8000]);
    write(CCR, 0xFFFF_FFFF);
    note(read(CCR));
    write(CCR, 0x200);
    check("ccr.implemented_bits", &[0x31B]);
    write(SHCSR, 7 << 16);
    note(read(SHCSR));
    write(SHCSR, 0);
    check("shcsr.enables", &[7 << 16]);
    write(SCR, 0x16);
    note(read(SCR));
    write(SCR, 0);
    check("scr.implemented_bits", &[0x16]);
    write(0xE000_E014, 0xFFFF_FFFF);
    check_word("systick.reload_has_24_bits", 0x00FF_FFFF, read(0xE000_E014));
    let status: u32;
    // SAFETY: EPSR reads as zero (B5.2.2).
    unsafe { asm!("mrs {}, epsr", out(reg) status) }
    check_word("epsr.reads_as_zero", 0, status);
}
