//! Priorities, grouping, nesting, tail-chaining, pending (B1.5.4, B3.4).

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::support::*;

/// Whether `pends_itself` has done so.
static PENDED: AtomicU32 = AtomicU32::new(0);

extern "C" fn low_pends_others() {
    note(1);
    pend(42); // more urgent: now
    note(2);
    pend(43); // less urgent: after
    note(3);
}

extern "C" fn first() {
    note(0x10);
}

extern "C" fn second() {
    note(0x20);
}

extern "C" fn third() {
    note(0x30);
}

/// Pends several interrupts at the same instant.
fn pend_all(mask: u32) {
    write(0xE000_E200, mask);
}

fn preemption() {
    interrupt(41, 0x80, low_pends_others);
    interrupt(42, 0x40, first);
    interrupt(43, 0xC0, second);
    note(0);
    pend(41);
    note(4);
    check("priority.preemption", &[0, 1, 0x10, 2, 3, 0x20, 4]);

    interrupt(42, 0x80, first);
    interrupt(43, 0x80, second);
    pend(41);
    check("priority.equal_does_not_preempt", &[1, 2, 3, 0x10, 0x20]);

    interrupt(41, 0x60, third);
    interrupt(42, 0x40, first);
    interrupt(43, 0x40, second);
    pend_all(0b111 << 25);
    check("priority.order_of_simultaneous", &[0x10, 0x20, 0x30]);
    quiet();
}

fn grouping() {
    // PRIGROUP 6: only bit 7 is the group (B1.5.4).
    write(AIRCR, 0x05FA_0600);
    check_word("grouping.reads_back", 0xFA05_0600, read(AIRCR));
    interrupt(41, 0xC0, low_pends_others);
    interrupt(42, 0x80, first);
    interrupt(43, 0xA0, second);
    pend(41);
    check("grouping.subpriority_does_not_preempt", &[1, 2, 3, 0x10, 0x20]);
    interrupt(41, 0xE0, first);
    interrupt(42, 0xC0, second);
    pend_all(0b11 << 25);
    check("grouping.subpriority_orders", &[0x20, 0x10]);
    interrupt(41, 0xC0, low_pends_others);
    interrupt(42, 0x60, first);
    interrupt(43, 0xE0, second);
    pend(41);
    check("grouping.group_preempts", &[1, 0x10, 2, 3, 0x20]);
    // BASEPRI masks by group as well (B1.4.3).
    // SAFETY: changes BASEPRI only.
    unsafe { asm!("msr basepri, {}", in(reg) 0xA0) }
    interrupt(42, 0x80, first);
    pend(42);
    note(1);
    // SAFETY: as above.
    unsafe { asm!("msr basepri, {}", in(reg) 0) }
    barrier();
    check("grouping.basepri_masks_the_group", &[1, 0x10]);
    write(AIRCR, 0x05FA_0000);
    write(AIRCR, 0x0700);
    check_word("grouping.needs_the_key", 0xFA05_0000, read(AIRCR));
    quiet();
}

extern "C" fn notes_stack() {
    let main: u32;
    // SAFETY: reads MSP.
    unsafe { asm!("mrs {}, msp", out(reg) main) }
    note(main);
}

extern "C" fn notes_stack_too() {
    notes_stack();
}

extern "C" fn pends_itself() {
    note(1);
    if PENDED.swap(1, Relaxed) == 0 {
        pend(41);
        // Still active: pending again does not preempt itself.
        note(2);
    }
}

fn chaining() {
    // Two handlers that begin at the same stack pointer: no thread code ran between them, and no
    // second frame was pushed (B1.5.12).
    interrupt(41, 0x40, notes_stack);
    interrupt(42, 0x60, notes_stack_too);
    let before: u32;
    // SAFETY: pends two interrupts with the stack pointer as it is.
    unsafe {
        asm!("mov {0}, sp", "str {1}, [{2}]", "dsb", "isb", out(reg) before,
             in(reg) 0b11 << 25, in(reg) 0xE000_E200u32)
    }
    let (one, two) = (logged(0), logged(1));
    forget();
    note(u32::from(one == two));
    note(u32::from(before > one));
    check("tail_chain.same_frame", &[1, 1]);

    PENDED.store(0, Relaxed);
    interrupt(41, 0x40, pends_itself);
    pend(41);
    check("pending.again_while_active", &[1, 2, 1]);
    quiet();
}

extern "C" fn reads_status() {
    note(read(ICSR) & 0x1FF); // VECTACTIVE
    note(read(ICSR) >> 11 & 1); // RETTOBASE
    note(read(0xE000_E300)); // active
    note(read(0xE000_E200)); // pending
    pend(43);
    note(read(ICSR) >> 12 & 0x1FF); // VECTPENDING
    note(read(ICSR) >> 22 & 1); // ISRPENDING
    write(0xE000_E280, 1 << 27);
    note(read(ICSR) >> 12 & 0x1FF);
    let ipsr: u32;
    // SAFETY: reads IPSR.
    unsafe { asm!("mrs {}, ipsr", out(reg) ipsr) }
    note(ipsr);
}

extern "C" fn nests() {
    pend(42);
}

extern "C" fn notes_base() {
    note(read(ICSR) >> 11 & 1);
}

fn status() {
    interrupt(41, 0x40, reads_status);
    interrupt(43, 0xC0, second);
    pend(41);
    check("status.inside_a_handler", &[41, 1, 1 << 25, 0, 43, 1, 0, 41]);
    interrupt(41, 0x40, nests);
    interrupt(42, 0x20, notes_base);
    pend(41);
    check("status.no_return_to_base_when_nested", &[0]);
    quiet();
}

fn enabling() {
    handle(41, first);
    prioritise(41, 0x40);
    pend(41);
    note(read(0xE000_E200) >> 25 & 1);
    note(read(0xE000_E100) >> 25 & 1);
    write(0xE000_E100, 1 << 25);
    note(1);
    check("enable.releases_what_is_pending", &[1, 0, 0x10, 1]);
    write(0xE000_E180, 1 << 25);
    pend(41);
    write(0xE000_E280, 1 << 25);
    write(0xE000_E100, 1 << 25);
    check("pending.can_be_cleared", &[]);
    // STIR takes the interrupt's number (B3.4.8).
    write(0xE000_EF00, 25);
    check("pending.by_stir", &[0x10]);
    quiet();
    prioritise(41, 0xE0);
    // SAFETY: priority registers may be read as bytes.
    let priority = unsafe { core::ptr::read_volatile(0xE000_E419 as *const u8) };
    check_word("priority.reads_back", 0xE0, u32::from(priority));
}

extern "C" fn pends_service() {
    note(1);
    write(ICSR, PEND_SV);
    note(2);
}

extern "C" fn service() {
    note(0x40);
}

extern "C" fn tick() {
    note(0x50);
}

extern "C" fn nmi() {
    note(0x60);
}

fn system_exceptions() {
    prioritise(PEND, 0xE0);
    prioritise(TICK, 0xC0);
    handle(PEND, service);
    handle(TICK, tick);
    handle(NMI, nmi);
    interrupt(41, 0x40, pends_service);
    pend(41);
    check("pendsv.waits_for_the_handler", &[1, 2, 0x40]);
    // SAFETY: masks around the writes.
    unsafe { asm!("cpsid i") }
    write(ICSR, PEND_SV | PEND_TICK);
    note(read(ICSR) >> 12 & 0x1FF);
    note(read(ICSR) >> 26 & 5);
    // SAFETY: as above.
    unsafe { asm!("cpsie i", "isb") }
    check("systick.before_pendsv", &[15, 5, 0x50, 0x40]);
    // SAFETY: as above.
    unsafe { asm!("cpsid i") }
    write(ICSR, PEND_SV | PEND_TICK);
    write(ICSR, 1 << 27 | 1 << 25);
    // SAFETY: as above.
    unsafe { asm!("cpsie i", "isb") }
    check("icsr.clears_pending", &[]);
    write(ICSR, PEND_NMI);
    check("nmi.by_software", &[0x60]);
    quiet();
}

/// All of them.
pub fn checks() {
    preemption();
    grouping();
    chaining();
    status();
    enabling();
    system_exceptions();
}
