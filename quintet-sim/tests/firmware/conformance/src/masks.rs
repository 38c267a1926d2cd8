//! PRIMASK, FAULTMASK, BASEPRI and BASEPRI_MAX, and SVC under them (B1.4.3, B5.2.3).

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::support::*;

/// The address of the SVC that escalates.
static SEEN_AT: AtomicU32 = AtomicU32::new(0);

/// Writes a special register.
macro_rules! set {
    ($name:literal, $value:expr) => {
        // SAFETY: a mask register.
        unsafe { asm!(concat!("msr ", $name, ", {}"), "isb", in(reg) $value as u32) }
    };
}

/// Reads a special register.
macro_rules! get {
    ($name:literal) => {{
        let value: u32;
        // SAFETY: reading changes nothing.
        unsafe { asm!(concat!("mrs {}, ", $name), out(reg) value) }
        value
    }};
}

extern "C" fn handler() {
    note(0x10);
}

extern "C" fn nmi() {
    note(0x60);
    note(get!("faultmask"));
}

extern "C" fn call() {
    note(0x70);
}

fn primask() {
    interrupt(41, 0x40, handler);
    handle(NMI, nmi);
    set!("primask", 1);
    pend(41);
    note(1);
    write(ICSR, PEND_NMI);
    note(2);
    set!("primask", 0);
    note(3);
    check("primask.holds_all_but_nmi", &[1, 0x60, 0, 2, 0x10, 3]);
}

fn basepri() {
    interrupt(41, 0x80, handler);
    set!("basepri", 0x80);
    pend(41);
    note(1);
    set!("basepri", 0xA0);
    note(2);
    check("basepri.masks_equal_and_less_urgent", &[1, 0x10, 2]);
    set!("basepri", 0x40);
    set!("basepri_max", 0x60);
    note(get!("basepri"));
    set!("basepri_max", 0x20);
    note(get!("basepri"));
    set!("basepri_max", 0);
    note(get!("basepri"));
    note(get!("basepri_max"));
    set!("basepri", 0);
    note(get!("basepri"));
    set!("basepri_max", 0x60);
    note(get!("basepri"));
    set!("basepri", 0);
    check("basepri_max.only_raises", &[0x40, 0x20, 0x20, 0x20, 0, 0x60]);
    interrupt(41, 0, handler);
    set!("basepri", 0x20);
    pend(41);
    note(1);
    set!("basepri", 0);
    check("basepri.never_masks_0", &[0x10, 1]);
}

extern "C" fn raises_faultmask() {
    set!("faultmask", 1);
    note(get!("faultmask"));
    pend(42);
    note(1);
}

fn faultmask() {
    interrupt(41, 0x40, handler);
    set!("faultmask", 1);
    pend(41);
    note(1);
    write(ICSR, PEND_NMI);
    note(get!("faultmask"));
    set!("faultmask", 0);
    check("faultmask.lets_only_nmi", &[1, 0x60, 1, 1, 0x10]);
    // Returning from any exception but NMI clears it (B1.5.8).
    interrupt(41, 0x40, raises_faultmask);
    interrupt(42, 0x20, handler);
    pend(41);
    note(get!("faultmask"));
    check("faultmask.cleared_by_return", &[1, 1, 0x10, 0]);
}

fn calls() {
    handle(CALL, call);
    prioritise(CALL, 0x80);
    // SAFETY: the handler only notes.
    unsafe { asm!("svc 7") }
    check("svc.taken_at_once", &[0x70]);
    // An SVC whose priority is too low becomes a HardFault (B1.5.14). Its frame has the address
    // behind the SVC, as on chips: the recorder skips the NOP.
    faulting(Recovery::Skip, || {
        set!("basepri", 0x80);
        let address: u32;
        // SAFETY: the recorder skips the NOP.
        unsafe { asm!("adr {0}, 2f", ".p2align 2", "2:", "svc 7", "nop", out(reg) address) }
        SEEN_AT.store(address + 2, Relaxed);
        set!("basepri", 0);
    });
    check("svc.masked_escalates", &[3, 0, 0x4000_0000, 0]);
    check_word("svc.masked_returns_behind_it", SEEN_AT.load(Relaxed), SEEN.pc.load(Relaxed));
    faulting(Recovery::Skip, || {
        set!("primask", 1);
        // SAFETY: as above.
        unsafe { asm!("svc 7", "nop") }
        set!("primask", 0);
    });
    check("svc.escalates_under_primask", &[3, 0, 0x4000_0000, 0]);
    prioritise(CALL, 0);
}

extern "C" fn calls_up() {
    note(1);
    // SAFETY: SVCall is more urgent here.
    unsafe { asm!("svc 1") }
    note(2);
}

fn call_from_handler() {
    handle(CALL, call);
    prioritise(CALL, 0x20);
    interrupt(41, 0x40, calls_up);
    pend(41);
    check("svc.from_a_handler", &[1, 0x70, 2]);
    prioritise(CALL, 0);
}

fn change_state() {
    // SAFETY: masks only.
    unsafe { asm!("cpsid i", "cpsid f") }
    note(get!("primask"));
    note(get!("faultmask"));
    // SAFETY: as above.
    unsafe { asm!("cpsie f", "cpsie i") }
    note(get!("primask"));
    note(get!("faultmask"));
    check("cps.sets_both", &[1, 1, 0, 0]);
}

/// All of them.
pub fn checks() {
    primask();
    basepri();
    faultmask();
    calls();
    call_from_handler();
    change_state();
    quiet();
}
