//! The memory protection unit (B3.5), loads and stores on behalf of unprivileged code, and stacking
//! under it.

use core::arch::{asm, naked_asm};
use core::sync::atomic::Ordering::Relaxed;

use crate::support::*;

const TYPE: u32 = 0xE000_ED90;
const CONTROL: u32 = 0xE000_ED94;
const NUMBER: u32 = 0xE000_ED98;
const BASE: u32 = 0xE000_ED9C;
const ATTRIBUTES: u32 = 0xE000_EDA0;

/// MPU_CTRL: on, with the default map for privileged code.
const ON: u32 = 5;

/// The memory that the regions protect.
const MEMORY: u32 = 0x2000_8000;

/// Access permissions (B3.5.9).
const NONE: u32 = 0;
const PRIVILEGED: u32 = 1;
const USER_READS: u32 = 2;
const FULL: u32 = 3;
const PRIVILEGED_READS: u32 = 5;
const READ_ONLY: u32 = 6;

/// Sets a region up: `size` is the field, 2^(size + 1) bytes.
fn region(number: u32, base: u32, size: u32, permission: u32, disabled: u32, never: bool) {
    write(NUMBER, number);
    write(BASE, base);
    write(
        ATTRIBUTES,
        u32::from(never) << 28 | permission << 24 | 1 << 17 | disabled << 8 | size << 1 | 1,
    );
}

/// Disables every region.
fn clear() {
    write(CONTROL, 0);
    for number in 0..8 {
        write(NUMBER, number);
        write(ATTRIBUTES, 0);
    }
}

fn load(address: u32) {
    // SAFETY: the recorder skips the load.
    unsafe { asm!("ldr {0}, [{0}]", inout(reg) address => _) }
}

fn store(address: u32) {
    // SAFETY: the recorder skips the store; the memory is the checks'.
    unsafe { asm!("str {0}, [{0}]", in(reg) address) }
}

fn load_as_user(address: u32) {
    // SAFETY: as above.
    unsafe { asm!("ldrt {0}, [{0}]", inout(reg) address => _) }
}

fn store_as_user(address: u32) {
    // SAFETY: as above.
    unsafe { asm!("strt {0}, [{0}]", in(reg) address) }
}

/// Notes whether each kind of access faults: privileged load and store, unprivileged load and
/// store.
fn probe(address: u32) {
    let kinds: [fn(u32); 4] = [load, store, load_as_user, store_as_user];
    let mut allowed = 0;
    for (bit, kind) in kinds.into_iter().enumerate() {
        let length = length();
        faulting(Recovery::Skip, || kind(address));
        let exception = logged(length);
        rewind(length);
        allowed |= u32::from(exception == 0) << bit;
    }
    note(allowed);
}

fn permissions() {
    check_word("mpu.type", 8 << 8, read(TYPE));
    region(0, MEMORY, 7, NONE, 0, false);
    write(CONTROL, ON);
    faulting(Recovery::Skip, || load(MEMORY + 4));
    check("mpu.load_fault", &[4, 0x82, 0, MEMORY + 4]);
    faulting(Recovery::Skip, || store(MEMORY + 8));
    check("mpu.store_fault", &[4, 0x82, 0, MEMORY + 8]);
    for permission in [NONE, PRIVILEGED, USER_READS, FULL, PRIVILEGED_READS, READ_ONLY] {
        region(0, MEMORY, 7, permission, 0, false);
        probe(MEMORY);
    }
    check("mpu.permissions", &[0, 0b0011, 0b0111, 0b1111, 0b0001, 0b0101]);
    probe(MEMORY + 0x100);
    probe(MEMORY - 4);
    check("mpu.default_map_is_for_privileged_code", &[0b0011, 0b0011]);
    clear();
}

fn regions() {
    // The higher number wins where regions overlap.
    region(1, MEMORY, 11, FULL, 0, false);
    region(2, MEMORY + 0x200, 7, NONE, 0, false);
    region(0, MEMORY + 0x400, 7, NONE, 0, false);
    write(CONTROL, ON);
    for offset in [0, 0x1FC, 0x200, 0x2FC, 0x300, 0x400] {
        probe(MEMORY + offset);
    }
    check("mpu.overlap", &[0b1111, 0b1111, 0, 0, 0b1111, 0b1111]);
    // 256 bytes in eight sub-regions of 32; where one is disabled the region below matches.
    region(2, MEMORY + 0x200, 7, NONE, 0b1010_0101, false);
    for sub in 0..8 {
        probe(MEMORY + 0x200 + 32 * sub);
    }
    check("mpu.sub_regions", &[15, 0, 15, 0, 0, 15, 0, 15]);
    clear();
    // The smallest region, 32 bytes.
    region(3, MEMORY + 0x40, 4, READ_ONLY, 0, false);
    write(CONTROL, ON);
    for offset in [0x3C, 0x40, 0x5C, 0x60] {
        probe(MEMORY + offset);
    }
    check("mpu.smallest_region", &[0b0011, 0b0101, 0b0101, 0b0011]);
    // An unaligned access is checked at each of its parts.
    faulting(Recovery::Skip, || store(MEMORY + 0x3E));
    let status = logged(1);
    check_word("mpu.unaligned_across_the_edge", 0x82, status);
    clear();
    // BASE with VALID selects the region by itself; the aliases reach further ones.
    write(BASE, MEMORY | 1 << 4 | 5);
    note(read(NUMBER));
    note(read(BASE));
    write(0xE000_EDA4, (MEMORY + 0x100) | 1 << 4 | 6);
    note(read(NUMBER));
    check("mpu.base_selects", &[5, MEMORY | 5, 6]);
    clear();
}

fn without_default_map() {
    // Everything that runs has regions; what has none faults even for privileged code.
    region(0, 0, 17, FULL, 0, false);
    region(1, 0x2000_0000, 14, FULL, 0, false);
    region(2, 0x2000_8000, 14, FULL, 0b10, false);
    write(CONTROL, 1);
    probe(0x2000_9000);
    probe(0x2000_8000);
    // The private peripherals need none.
    note(read(CONTROL));
    write(CONTROL, 0);
    check("mpu.no_region_no_access", &[0, 0b1111, 1]);
    // HardFault and NMI ignore the MPU without HFNMIENA.
    region(3, MEMORY, 7, NONE, 0, false);
    write(CONTROL, ON);
    // SAFETY: FAULTMASK for one load.
    unsafe { asm!("cpsid f", "ldr {0}, [{0}]", "cpsie f", inout(reg) MEMORY => _) }
    note(1);
    write(CONTROL, 0);
    check("mpu.off_under_faultmask", &[1]);
    clear();
}

fn execution() {
    // BX LR, in a region that is not executable, then in one that is.
    write(MEMORY, 0x4770_4770);
    region(0, MEMORY, 7, FULL, 0, true);
    write(CONTROL, ON);
    let call = || {
        // SAFETY: the memory holds BX LR; the recorder returns to LR.
        unsafe { asm!("blx {}", in(reg) MEMORY + 1, out("lr") _) }
    };
    faulting(Recovery::Return, call);
    check("mpu.execute_never", &[4, 1, 0, 0]);
    region(0, MEMORY, 7, FULL, 0, false);
    faulting(Recovery::Return, call);
    check("mpu.executable", &[0, 0, 0, 0]);
    region(0, MEMORY, 7, NONE, 0, false);
    faulting(Recovery::Return, call);
    check("mpu.execution_needs_reading", &[4, 1, 0, 0]);
    clear();
}

/// Exceptions whose frame cannot be written: MSTKERR, and what is on the stack is left to chance,
/// so the thread is continued from a good frame (B1.5.11).
fn stacking() {
    handle(PEND, pend_after_fault);
    prioritise(PEND, 0xE0);
    handle(super::support::MEMORY, recovers_stack);
    region(0, MEMORY, 7, NONE, 0, false);
    faulting(Recovery::Retry, || {
        write(CONTROL, ON);
        // SAFETY: PSP points into the protected memory only while nothing but the exception uses
        // it; the handler goes on at label 2, back on the main stack.
        unsafe {
            asm!(
                "adr r4, 2f", "orr r4, r4, #1",
                "msr psp, {stack}", "mov r5, #2", "msr control, r5", "isb",
                "mov r5, #0x10000000", "str r5, [{icsr}]", "dsb", "isb",
                "udf #9",
                ".p2align 2", "2:",
                "mov r5, #0", "msr control, r5", "isb",
                stack = in(reg) MEMORY + 0x80, icsr = in(reg) ICSR,
                out("r0") _, out("r1") _, out("r2") _, out("r3") _, out("r4") _, out("r5") _,
                out("r12") _, out("lr") _,
            );
        }
    });
    write(CONTROL, 0);
    note(SEEN.exc_return.load(Relaxed));
    check("mpu.stacking_fault", &[4, 0x10, 0, 0, 0xFFFF_FFFD]);
    handle(super::support::MEMORY, fault_entry);
    clear();
}

/// PendSV may be taken by tail-chaining after the fault's handler, or not at all before: it does
/// nothing.
extern "C" fn pend_after_fault() {}

/// Records the fault, then makes a frame elsewhere that returns to the address in R4.
#[unsafe(naked)]
unsafe extern "C" fn recovers_stack() {
    naked_asm!(
        "mov r0, lr",
        "ldr r1, =0x20004800",
        "movs r2, #0",
        "str r2, [r1, #0]",
        "str r2, [r1, #20]",
        "str r4, [r1, #24]",
        "mov r2, #0x01000000",
        "str r2, [r1, #28]",
        "ldr r2, =0xE000ED94", // MPU_CTRL
        "movs r3, #0",
        "str r3, [r2]",
        "msr psp, r1",
        "push {{r3, lr}}",
        "bl {record}",
        "pop {{r3, pc}}",
        ".pool",
        record = sym record,
    )
}

fn unstacking() {
    extern "C" fn protects() {
        region(0, MEMORY, 7, NONE, 0, false);
        write(CONTROL, ON);
        note(0x10);
    }
    handle(PEND, protects);
    faulting(Recovery::Unprotect, || {
        // SAFETY: as above.
        unsafe {
            asm!(
                "msr psp, {stack}", "msr control, {two}", "isb",
                "str {bit}, [{icsr}]", "dsb", "isb",
                "msr control, {zero}", "isb",
                stack = in(reg) MEMORY + 0x80, two = in(reg) 2, zero = in(reg) 0,
                bit = in(reg) PEND_SV, icsr = in(reg) ICSR,
            );
        }
    });
    note(SEEN.exc_return.load(Relaxed));
    // MUNSTKERR: tail-chained, with the EXC_RETURN of the return that failed; it returns at last.
    check("mpu.unstacking_fault", &[0x10, 4, 8, 0, 0, 0xFFFF_FFFD]);
    clear();
}

/// All of them.
pub fn checks() {
    write(SHCSR, 7 << 16);
    permissions();
    regions();
    without_default_map();
    execution();
    stacking();
    unstacking();
    write(SHCSR, 0);
    handle(PEND, fault_entry);
}
