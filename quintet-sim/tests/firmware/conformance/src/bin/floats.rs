//! Checks of the floating-point context, from inside: who may use the unit, what an exception
//! reserves, saves and restores, and faults on the way (ARMv7-M Architecture Reference Manual,
//! B1.5.7, B3.2.20 to B3.2.23). For a processor with FPv4-SP.

#![no_std]
#![no_main]

use core::arch::{asm, naked_asm};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[path = "../floats.rs"]
mod floats;
#[path = "../support.rs"]
#[expect(dead_code, reason = "the other images use the rest")]
mod support;

use floats::{changed, filled, preserve, status, transfers, uses};
use support::*;

#[unsafe(link_section = ".vectors")]
#[used]
static RESET: [support::Vector; 2] =
    [support::Vector { word: 0x2001_0000 }, support::Vector { handler: reset }];

/// Coprocessor access control.
const CPACR: u32 = 0xE000_ED88;
/// Floating-point context control, address, and default status.
const FPCCR: u32 = 0xE000_EF34;
const FPCAR: u32 = 0xE000_EF38;
const FPDSCR: u32 = 0xE000_EF3C;

/// CPACR: access for all code, and for privileged code.
const FULL: u32 = 0xF << 20;
const PRIVILEGED: u32 = 0x5 << 20;
/// FPCCR: a context is saved, and later; at once.
const LAZY: u32 = 3 << 30;
const AT_ONCE: u32 = 1 << 31;
/// FPCCR: a context is still to be saved, of unprivileged code, of thread mode; and which faults
/// could have been taken.
const PUT_OFF: u32 = 1;
const OF_USER: u32 = 1 << 1;
const OF_THREAD: u32 = 1 << 3;
const HARD_READY: u32 = 1 << 4;
const MEMORY_READY: u32 = 1 << 5;
const BUS_READY: u32 = 1 << 6;
const OF_WHOM: u32 = PUT_OFF | OF_USER | OF_THREAD | HARD_READY | MEMORY_READY | BUS_READY;

/// SysTick.
const TIMER: u32 = 0xE000_E010;

/// Interrupts of the checks; the second preempts the first.
const FIRST: usize = 16 + 24;
const SECOND: usize = 16 + 25;
/// An address at which the board has nothing.
const NOWHERE: u32 = 0x6000_0000;
/// HFSR.FORCED.
const FORCED: u32 = 1 << 30;

/// What the last handler found: EXC_RETURN, its stack pointer, and FPCCR's bits about the context.
static FOUND: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];
/// What a handler has to say, and how often the timer has come.
static SAID: AtomicU32 = AtomicU32::new(0);
static TICKS: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn reset() {
    install(&VECTORS);
    access();
    // SAFETY: it is there, and was not used yet.
    unsafe { asm!("cpsie i") }
    write(SHCSR, 7 << 16);
    write(CPACR, FULL);
    frames();
    ready();
    saving();
    late_faults();
    interrupted();
    print("done\n");
    exit(0);
}

/// Ends the context: CONTROL.FPCA.
fn forget_context() {
    // SAFETY: no code has a state that it wants.
    unsafe {
        asm!("mrs {0}, CONTROL", "bic {0}, #4", "msr CONTROL, {0}", "isb", out(reg) _);
    }
}

/// B3.2.20: nobody may use the unit until CPACR allows it; then privileged code, or all.
fn access() {
    check_word("float.access_at_reset", 0, read(CPACR));
    note(read(FPCCR));
    note(read(FPDSCR));
    check("float.control_at_reset", &[LAZY, 0]);
    write(CPACR, u32::MAX);
    check_word("float.access_bits", FULL, read(CPACR));
    write(CPACR, 0);
    // SAFETY: the recorder skips the instruction.
    faulting(Recovery::Skip, || unsafe { uses() });
    check("float.off_escalates", &[3, 1 << 19, FORCED, 0]);
    write(SHCSR, 7 << 16);
    // SAFETY: the same.
    faulting(Recovery::Skip, || unsafe { uses() });
    check("float.off", &[6, 1 << 19, 0, 0]);
    write(CPACR, PRIVILEGED);
    // SAFETY: the same.
    faulting(Recovery::Skip, || unsafe { uses() });
    check("float.for_privileged_code", &[0, 0, 0, 0]);
    forget_context();
    handle(CALL, unprivileged_or_back);
    faulting(Recovery::Skip, || {
        // SAFETY: the call takes the rights, and gives them back.
        unsafe {
            asm!("svc 0", "bl {uses}", "svc 0", uses = sym uses, out("r0") _, out("r1") _,
                out("r2") _, out("r3") _, out("r12") _, out("lr") _);
        }
    });
    check("float.not_for_unprivileged_code", &[6, 1 << 19, 0, 0]);
    write(CPACR, FULL);
    forget_context();
}

/// Flips CONTROL.nPRIV.
#[unsafe(naked)]
unsafe extern "C" fn unprivileged_or_back() {
    naked_asm!("mrs r0, CONTROL", "eor r0, #1", "msr CONTROL, r0", "isb", "bx lr")
}

/// Looks, and uses nothing.
#[unsafe(naked)]
unsafe extern "C" fn looks() {
    naked_asm!("mov r0, lr", "mov r1, sp", "b {found}", found = sym found)
}

unsafe extern "C" fn found(exc_return: u32, stack_pointer: u32) {
    let context = read(FPCCR) & OF_WHOM;
    for (word, value) in FOUND.iter().zip([exc_return, stack_pointer, context]) {
        word.store(value, Relaxed);
    }
}

/// Looks, and fills all registers.
#[unsafe(naked)]
unsafe extern "C" fn looks_and_fills() {
    naked_asm!(
        "push {{r4, lr}}",
        "mov r0, lr",
        "add r1, sp, #8",
        "bl {found}",
        "bl {fills}",
        "pop {{r4, pc}}",
        found = sym found,
        fills = sym fills,
    )
}

unsafe extern "C" fn fills() {
    preserve(|| filled(0x6600_0000));
}

/// With the registers full, pends the first interrupt; notes what its handler has found.
fn interrupt_full() {
    filled(0x1100_0000);
    pend(FIRST);
    note(changed(0x1100_0000));
    for word in [&FOUND[0], &FOUND[2]] {
        note(word.load(Relaxed));
    }
}

/// B1.5.7: the frame, its place, and who has a context.
fn frames() {
    interrupt(FIRST, 0x80, looks);
    forget_context();
    pend(FIRST);
    check_word("float.no_context", 0xFFFF_FFF9, FOUND[0].load(Relaxed));
    interrupt_full();
    let all = PUT_OFF | OF_THREAD | HARD_READY | MEMORY_READY | BUS_READY;
    check("float.context_put_off", &[0, 0xFFFF_FFE9, all]);
    note(read(FPCAR).wrapping_sub(FOUND[1].load(Relaxed)));
    check("float.place", &[32]);
    check_word("float.nothing_to_save_behind", 0, read(FPCCR) & PUT_OFF);
    write(FPCCR, AT_ONCE);
    interrupt_full();
    note(read(FOUND[1].load(Relaxed) + 32));
    note(read(FOUND[1].load(Relaxed) + 32 + 4 * 15));
    note(read(FOUND[1].load(Relaxed) + 32 + 4 * 16));
    let saved = [0x1100_0000, 0x1100_000F, 0x2000_0000];
    let [first, last, flags] = saved;
    check("float.saved_at_once", &[0, 0xFFFF_FFE9, 0, first, last, flags]);
    forget_context();
    write(FPCCR, 1 << 30);
    interrupt_full();
    check("float.no_context_without_aspen", &[0, 0xFFFF_FFF9, 0]);
    write(FPCCR, LAZY);
    write(FPDSCR, 0x07C0_0000);
    forget_context();
    // SAFETY: a function.
    note(unsafe { status() } & 0x07C0_0000);
    write(FPDSCR, 0);
    check("float.new_context_has_default_modes", &[0x07C0_0000]);
    forget_context();
}

/// B3.2.21: whose context it is, and which faults could have been taken.
fn ready() {
    let bits = || FOUND[2].load(Relaxed);
    filled(0x1100_0000);
    handle(NMI, looks);
    // SAFETY: the masks are taken back.
    unsafe { asm!("cpsid i") }
    write(ICSR, PEND_NMI);
    // SAFETY: the same.
    unsafe { asm!("cpsie i") }
    check_word("float.ready_under_primask", PUT_OFF | OF_THREAD | HARD_READY, bits());
    filled(0x1100_0000);
    prioritise(MEMORY, 0x80);
    // SAFETY: the same.
    unsafe { asm!("msr BASEPRI, {}", "isb", in(reg) 0x40) }
    write(ICSR, PEND_NMI);
    // SAFETY: the same.
    unsafe { asm!("msr BASEPRI, {}", "isb", in(reg) 0) }
    prioritise(MEMORY, 0);
    let expected = PUT_OFF | OF_THREAD | HARD_READY | BUS_READY;
    check_word("float.ready_under_basepri", expected, bits());
    filled(0x1100_0000);
    write(SHCSR, 1 << 17);
    write(ICSR, PEND_NMI);
    write(SHCSR, 7 << 16);
    check_word("float.ready_when_enabled", expected, bits());
    handle(CALL, looks_at_user);
    filled(0x1100_0000);
    // SAFETY: the calls take the rights, and give them back.
    unsafe {
        asm!("svc 0", "svc 0", out("r0") _, out("r1") _, out("r2") _, out("r3") _,
        out("r12") _, out("lr") _)
    }
    note(bits() & (PUT_OFF | OF_USER | OF_THREAD));
    check("float.of_unprivileged_code", &[PUT_OFF | OF_USER | OF_THREAD]);
    // A handler with a context of its own.
    interrupt(FIRST, 0x80, fills_and_is_preempted);
    interrupt(SECOND, 0x40, looks);
    filled(0x1100_0000);
    pend(FIRST);
    note(FOUND[0].load(Relaxed));
    note(bits() & (PUT_OFF | OF_USER | OF_THREAD));
    note(SAID.load(Relaxed));
    check("float.of_a_handler", &[0xFFFF_FFE1, PUT_OFF, 0]);
    forget_context();
}

/// Looks, and flips CONTROL.nPRIV.
#[unsafe(naked)]
unsafe extern "C" fn looks_at_user() {
    naked_asm!(
        "push {{r4, lr}}",
        "mov r0, lr",
        "add r1, sp, #8",
        "bl {found}",
        "mrs r0, CONTROL",
        "eor r0, #1",
        "msr CONTROL, r0",
        "isb",
        "pop {{r4, pc}}",
        found = sym found,
    )
}

unsafe extern "C" fn fills_and_is_preempted() {
    preserve(|| {
        filled(0x2200_0000);
        pend(SECOND);
        SAID.store(changed(0x2200_0000), Relaxed);
    });
}

/// The first use in a handler saves; a second handler saves for the first one's frame.
fn saving() {
    interrupt(FIRST, 0x80, looks_and_fills);
    interrupt_full();
    let found = FOUND[1].load(Relaxed);
    note(read(found + 32));
    note(read(found + 32 + 4 * 16));
    note(read(FPCCR) & PUT_OFF);
    let all = PUT_OFF | OF_THREAD | HARD_READY | MEMORY_READY | BUS_READY;
    check("float.saved_by_the_first_use", &[0, 0xFFFF_FFE9, all, 0x1100_0000, 0x2000_0000, 0]);
    // The first one uses nothing, and is preempted by one that does.
    interrupt(FIRST, 0x80, is_preempted);
    interrupt(SECOND, 0x40, looks_and_fills);
    filled(0x1100_0000);
    pend(FIRST);
    note(changed(0x1100_0000));
    note(FOUND[0].load(Relaxed));
    check("float.saved_for_another_frame", &[0, 0xFFFF_FFF1]);
    // Who may not use the unit doesn't save.
    interrupt(FIRST, 0x80, is_refused);
    SEEN.cfsr.store(0, Relaxed);
    filled(0x1100_0000);
    faulting(Recovery::Skip, || pend(FIRST));
    note(SAID.load(Relaxed));
    note(changed(0x1100_0000));
    check("float.refused_before_saving", &[6, 1 << 19, 0, 0, PUT_OFF, 0]);
    forget_context();
}

unsafe extern "C" fn is_preempted() {
    pend(SECOND);
}

unsafe extern "C" fn is_refused() {
    write(CPACR, 0);
    // SAFETY: the recorder skips the instruction.
    unsafe { uses() };
    SAID.store(read(FPCCR) & PUT_OFF, Relaxed);
    write(CPACR, FULL);
}

/// Faults on saving late: of the protection unit, of the bus, and escalated.
fn late_faults() {
    interrupt(FIRST, 0x80, saves_nowhere);
    filled(0x1100_0000);
    faulting(Recovery::Skip, || pend(FIRST));
    check("float.late_bus_fault", &[5, 1 << 13, 0, 0]);
    forget_context();
    // The region of the frame's second part, which the handler makes for nobody.
    interrupt(FIRST, 0x80, saves_refused);
    filled(0x1100_0000);
    faulting(Recovery::Unprotect, on_process_stack);
    note(changed(0x1100_0000));
    check("float.late_memory_fault", &[4, 1 << 5, 0, 0, 0]);
    forget_context();
    write(SHCSR, 6 << 16);
    filled(0x1100_0000);
    faulting(Recovery::Unprotect, on_process_stack);
    note(changed(0x1100_0000));
    write(SHCSR, 7 << 16);
    check("float.late_memory_fault_escalates", &[3, 1 << 5, FORCED, 0, 0]);
    forget_context();
}

/// Saves where nothing is, and then not at all.
unsafe extern "C" fn saves_nowhere() {
    write(FPCAR, NOWHERE);
    // SAFETY: the recorder skips the instruction.
    unsafe { uses() };
    write(FPCCR, read(FPCCR) & !PUT_OFF);
}

/// Takes the first interrupt with the process stack far from the main one.
fn on_process_stack() {
    // SAFETY: nothing uses the memory below; the stack is put back.
    unsafe {
        asm!(
            "msr PSP, {top}",
            "movs {one}, #2",
            "mrs {old}, CONTROL",
            "orrs {one}, {old}",
            "msr CONTROL, {one}",
            "isb",
            "str {bit}, [{pend}]",
            "dsb",
            "isb",
            "bic {one}, #2",
            "msr CONTROL, {one}",
            "isb",
            top = in(reg) 0x2000_9000u32,
            one = out(reg) _,
            old = out(reg) _,
            bit = in(reg) 1u32 << (FIRST - 16),
            pend = in(reg) 0xE000_E200u32,
        );
    }
}

/// Makes the memory of the frame nobody's, and uses the unit.
unsafe extern "C" fn saves_refused() {
    write(0xE000_ED98, 0);
    write(0xE000_ED9C, 0x2000_8000);
    write(0xE000_EDA0, 1 << 17 | 11 << 1 | 1);
    write(0xE000_ED94, 5);
    // SAFETY: the fault ends the protection, and the instruction starts over.
    unsafe { uses() };
}

/// Whatever moment an interrupt takes in transfers of several registers and in late saving, these
/// have their effect once, and nobody's registers change.
fn interrupted() {
    interrupt(FIRST, 0x80, looks_and_fills);
    handle(TICK, ticks);
    prioritise(TICK, 0x40);
    write(TIMER + 4, 0xFF_FFFF);
    let mut wrong = 0;
    for delay in 8..300 {
        filled(0x1100_0000);
        write(TIMER + 4, delay);
        write(TIMER + 8, 0);
        write(TIMER, 7);
        // SAFETY: it leaves all registers as they are.
        wrong |= unsafe { transfers(1 << (FIRST - 16)) };
        write(TIMER, 0);
        wrong |= changed(0x1100_0000);
    }
    note(wrong);
    note(u32::from(TICKS.load(Relaxed) > 200));
    check("float.interrupted_anywhere", &[0, 1]);
    forget_context();
}

/// Once: by then the next one would be due.
unsafe extern "C" fn ticks() {
    write(TIMER, 0);
    TICKS.store(TICKS.load(Relaxed) + 1, Relaxed);
    preserve(|| filled(0x7700_0000));
}
