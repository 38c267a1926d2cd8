//! MSP and PSP, CONTROL, privileges, and the frame (B1.4.4, B1.5.6, B1.5.7).

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::support::*;

/// The top of the memory that the checks use as process stack.
const PROCESS_STACK: u32 = 0x2000_5000;

/// EXC_RETURN of the last SVC.
static EXC_RETURN: AtomicU32 = AtomicU32::new(0);
/// PSP in the last SVC.
static PSP: AtomicU32 = AtomicU32::new(0);
/// CONTROL in the last SVC.
static CONTROL: AtomicU32 = AtomicU32::new(0);

/// Records, and makes thread mode privileged and on the main stack for whoever runs it.
#[unsafe(naked)]
unsafe extern "C" fn call() {
    core::arch::naked_asm!(
        "mov r0, lr",
        "mrs r1, psp",
        "mrs r2, control",
        "b {record}",
        record = sym record,
    )
}

unsafe extern "C" fn record(exc_return: u32, psp: u32, control: u32) {
    EXC_RETURN.store(exc_return, Relaxed);
    PSP.store(psp, Relaxed);
    CONTROL.store(control, Relaxed);
    // SAFETY: nPRIV only; SPSEL can't be written here.
    unsafe { asm!("msr control, {}", "isb", in(reg) 0) }
}

/// Runs assembly on the process stack at `$top`; SVC ends the privilege-less part.
macro_rules! on_process_stack {
    ($top:expr, $control:expr, $($body:tt)*) => {
        // SAFETY: comes back to the main stack; the SVC handler restores privileges.
        unsafe {
            asm!(
                "msr psp, {top}",
                "mov r4, {control}",
                "msr control, r4",
                "isb",
                $($body)*
                "svc 0",
                "mov r4, #0",
                "msr control, r4",
                "isb",
                top = in(reg) $top,
                control = in(reg) $control,
                out("r4") _, out("r5") _, out("r0") _, out("r1") _, out("r2") _, out("r3") _,
                out("r12") _, out("lr") _,
            )
        }
    };
}

fn frame() {
    on_process_stack!(
        PROCESS_STACK,
        2,
        "mov r0, #0xA0",
        "mov r1, #0xA1",
        "mov r2, #0xA2",
        "mov r3, #0xA3",
        "mov r12, #0xAC",
        "mov lr, #0xAE",
        "msr apsr_nzcvq, r4",
    );
    let psp = PSP.load(Relaxed);
    note(EXC_RETURN.load(Relaxed));
    note(CONTROL.load(Relaxed));
    note(psp);
    for index in [0, 1, 2, 3, 4, 5, 7] {
        note(read(psp + 4 * index));
    }
    check(
        "frame.on_the_process_stack",
        &[0xFFFF_FFFD, 0, 0x2000_4FE0, 0xA0, 0xA1, 0xA2, 0xA3, 0xAC, 0xAE, 0x0100_0000],
    );
    // CCR.STKALIGN: a stack that is not a multiple of 8 gets a word more, and bit 9 of xPSR says
    // so.
    on_process_stack!(PROCESS_STACK - 4, 2, "mov r0, #1",);
    let psp = PSP.load(Relaxed);
    note(psp);
    note(read(psp + 28) >> 9 & 1);
    let after: u32;
    // SAFETY: reads PSP.
    unsafe { asm!("mrs {}, psp", out(reg) after) }
    note(after);
    check("frame.aligned", &[0x2000_4FD8, 1, PROCESS_STACK - 4]);
    write(CCR, read(CCR) & !(1 << 9));
    on_process_stack!(PROCESS_STACK - 4, 2, "mov r0, #1",);
    let psp = PSP.load(Relaxed);
    note(psp);
    note(read(psp + 28) >> 9 & 1);
    check("frame.not_aligned_without_stkalign", &[0x2000_4FDC, 0]);
    write(CCR, read(CCR) | 1 << 9);
}

fn privileges() {
    // Without privileges: writes of masks and CONTROL do nothing, reads of all but APSR and CONTROL
    // give 0.
    let (masks, control, flags): (u32, u32, u32);
    // SAFETY: SVC brings privileges back; the main stack is used throughout.
    unsafe {
        asm!(
            "msr control, {one}",
            "isb",
            "cpsid i",
            "cpsid f",
            "msr basepri, {one}",
            "msr control, {zero}",
            "isb",
            "mrs {control}, control",
            "msr apsr_nzcvq, {flags}",
            "mrs {flags}, apsr",
            "svc 0",
            "mrs {masks}, primask",
            "mrs {one}, faultmask",
            "orr {masks}, {masks}, {one}, lsl #1",
            "mrs {one}, basepri",
            "orr {masks}, {masks}, {one}, lsl #8",
            one = inout(reg) 0x21 => _, zero = in(reg) 0,
            masks = out(reg) masks, control = out(reg) control,
            flags = inout(reg) 0xF800_0000u32 => flags,
        );
    }
    note(masks);
    note(control);
    note(flags);
    check("unprivileged.cannot_mask", &[0, 1, 0xF800_0000]);
    let (main, ipsr): (u32, u32);
    // SAFETY: as above.
    unsafe {
        asm!("msr control, {one}", "isb", "mrs {main}, msp", "mrs {ipsr}, xpsr", "svc 0",
            one = in(reg) 1, main = out(reg) main, ipsr = out(reg) ipsr);
    }
    note(main);
    note(ipsr & 0x1FF);
    check("unprivileged.reads_zeros", &[0, 0]);
    // The system control space is a BusFault to it, STIR included without USERSETMPEND (B3.1.1).
    without_privileges("unprivileged.system_registers", ICSR);
    without_privileges("unprivileged.system_timer", 0xE000_E010);
}

/// Reads `address` without privileges, which faults precisely.
fn without_privileges(name: &str, address: u32) {
    faulting(Recovery::Skip, || {
        // SAFETY: as above; the recorder skips the load.
        unsafe {
            asm!("msr control, {one}", "isb", "ldr {address}, [{address}]", "svc 0",
                one = in(reg) 1, address = inout(reg) address => _);
        }
    });
    check(name, &[5, 0x8200, 0, address]);
}

fn software_trigger() {
    extern "C" fn handler() {
        note(0x10);
    }
    interrupt(41, 0x40, handler);
    write(CCR, read(CCR) | 2);
    // SAFETY: as above.
    unsafe {
        asm!("msr control, {one}", "isb", "str {number}, [{stir}]", "dsb", "isb", "svc 0",
            one = in(reg) 1, number = in(reg) 25, stir = in(reg) 0xE000_EF00u32);
    }
    write(CCR, read(CCR) & !2);
    check("unprivileged.may_pend_with_usersetmpend", &[0x10]);
    faulting(Recovery::Skip, || {
        // SAFETY: as above.
        unsafe {
            asm!("msr control, {one}", "isb", "str {number}, [{stir}]", "dsb", "svc 0",
                one = in(reg) 1, number = in(reg) 25, stir = in(reg) 0xE000_EF00u32);
        }
    });
    let status = logged(1);
    forget();
    // Whether a store's fault is precise is not the architecture's to say.
    check_word("unprivileged.may_not_pend_otherwise", 1, u32::from(status & 0x600 != 0));
    quiet();
}

extern "C" fn tries_to_select() {
    let (before, after): (u32, u32);
    // SAFETY: the write of SPSEL is ignored in handler mode (B1.4.4).
    unsafe {
        asm!("mrs {0}, control", "msr control, {2}", "isb", "mrs {1}, control",
            out(reg) before, out(reg) after, in(reg) 2);
    }
    note(before);
    note(after);
}

fn selection() {
    interrupt(41, 0x40, tries_to_select);
    pend(41);
    check("control.spsel_fixed_in_handlers", &[0, 0]);
    quiet();
    let (current, main, back): (u32, u32, u32);
    // SAFETY: comes back to the main stack.
    unsafe {
        asm!("msr psp, {top}", "msr control, {two}", "isb", "mov {current}, sp",
            "msr control, {zero}", "isb", "mrs {main}, msp", "mov {back}, sp",
            top = in(reg) PROCESS_STACK, two = in(reg) 2, zero = in(reg) 0,
            current = out(reg) current, main = out(reg) main, back = out(reg) back);
    }
    note(current);
    note(main - back);
    check("control.spsel_selects", &[PROCESS_STACK, 0]);
    let kept: u32;
    // SAFETY: PSP is not in use.
    unsafe { asm!("msr psp, {1}", "mrs {0}, psp", out(reg) kept, in(reg) 0x2000_4447u32) }
    check_word("stack_pointer.bottom_bits_are_zero", 0x2000_4444, kept);
}

/// The flags, IT state and registers survive an exception in an IT block.
fn if_then() {
    let (first, second): (u32, u32);
    // SAFETY: the SVC handler only records.
    unsafe {
        asm!(
            "mov {0}, #0",
            "mov {1}, #0",
            "cmp {0}, #0",
            "itete eq",
            "svceq 0",
            "movne {1}, #1",
            "moveq {0}, #5",
            "movne {0}, #7",
            out(reg) first, out(reg) second,
        );
    }
    note(first);
    note(second);
    check("it_block.continues_after_svc", &[5, 0]);
}

/// All of them.
pub fn checks() {
    handle(CALL, call);
    write(SHCSR, 7 << 16);
    frame();
    privileges();
    software_trigger();
    selection();
    if_then();
    write(SHCSR, 0);
    handle(CALL, fault_entry);
}
