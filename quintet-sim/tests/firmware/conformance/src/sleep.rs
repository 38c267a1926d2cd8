//! WFI, WFE, SEV, SLEEPONEXIT, SEVONPEND, SysTick, and the cycle counter (B1.5.17, B1.5.18, B3.3,
//! C1.8).

use core::arch::asm;

use crate::support::*;

const TICK_CONTROL: u32 = 0xE000_E010;
const TICK_RELOAD: u32 = 0xE000_E014;
const TICK_VALUE: u32 = 0xE000_E018;

extern "C" fn tick() {
    write(TICK_CONTROL, 0);
    write(SCR, 0);
    note(0x50);
}

extern "C" fn handler() {
    note(0x10);
}

/// Starts SysTick, which interrupts once after a while.
fn start() {
    write(TICK_RELOAD, 20_000);
    write(TICK_VALUE, 0);
    write(TICK_CONTROL, 7);
}

fn stop() {
    write(TICK_CONTROL, 0);
    write(ICSR, 1 << 25);
    // SAFETY: one event register, set or not; this leaves it clear.
    unsafe { asm!("sev", "wfe") }
    forget();
}

fn interrupts() {
    handle(TICK, tick);
    start();
    // SAFETY: SysTick wakes it.
    unsafe { asm!("wfi") }
    note(1);
    write(TICK_CONTROL, 0);
    check("wfi.wakes_by_an_interrupt", &[0x50, 1]);
    // PRIMASK does not keep it asleep, but the handler waits.
    start();
    // SAFETY: as above.
    unsafe { asm!("cpsid i", "wfi") }
    note(2);
    write(TICK_CONTROL, 0);
    // SAFETY: ends the mask.
    unsafe { asm!("cpsie i", "isb") }
    check("wfi.wakes_under_primask", &[2, 0x50]);
    // BASEPRI does keep it asleep, until something more urgent comes.
    interrupt(41, 0xC0, handler);
    prioritise(TICK, 0x40);
    start();
    // SAFETY: SysTick is more urgent than the mask.
    unsafe { asm!("msr basepri, {}", in(reg) 0x80) }
    pend(41);
    // SAFETY: as above.
    unsafe { asm!("wfi", "isb") }
    note(3);
    // SAFETY: ends the mask.
    unsafe { asm!("msr basepri, {}", "isb", in(reg) 0) }
    check("wfi.sleeps_under_basepri", &[0x50, 3, 0x10]);
    stop();
    quiet();
}

fn events() {
    start();
    // SAFETY: SEV before makes WFE return.
    unsafe { asm!("sev", "wfe") }
    note(1);
    check("wfe.returns_after_sev", &[1]);
    // An exception's entry and return set the event register too.
    interrupt(41, 0x40, handler);
    pend(41);
    // SAFETY: the event is there.
    unsafe { asm!("wfe") }
    note(2);
    check("wfe.returns_after_an_exception", &[0x10, 2]);
    // SAFETY: SysTick wakes it.
    unsafe { asm!("wfe", "isb") }
    note(3);
    write(TICK_CONTROL, 0);
    check("wfe.sleeps_otherwise", &[0x50, 3]);
    stop();
    // SEVONPEND: pending alone is an event, disabled or masked as it may be.
    write(0xE000_E180, 1 << 25);
    write(SCR, 1 << 4);
    start();
    pend(41);
    // SAFETY: the event is there.
    unsafe { asm!("wfe") }
    note(4);
    write(SCR, 0);
    check("wfe.sevonpend", &[4]);
    stop();
    quiet();
}

extern "C" fn sleeps_after() {
    write(SCR, 2);
    note(0x20);
}

fn sleep_on_exit() {
    interrupt(41, 0x80, sleeps_after);
    start();
    pend(41);
    // The return sleeps; SysTick's handler clears SLEEPONEXIT, so that its return comes back here.
    note(1);
    write(TICK_CONTROL, 0);
    check("sleep_on_exit", &[0x20, 0x50, 1]);
    write(SCR, 0);
    stop();
    quiet();
}

fn timer() {
    write(TICK_CONTROL, 0);
    write(TICK_RELOAD, 1000);
    write(TICK_VALUE, 5);
    check_word("systick.any_write_clears_it", 0, read(TICK_VALUE));
    write(TICK_CONTROL, 5);
    // Until COUNTFLAG; the bound is far beyond 1000 cycles.
    let mut polls = 0;
    while read(TICK_CONTROL) & 1 << 16 == 0 && polls < 1_000_000 {
        polls += 1;
    }
    note(u32::from(polls < 1_000_000));
    write(TICK_CONTROL, 4);
    note(read(TICK_CONTROL) >> 16 & 1);
    note(u32::from(read(TICK_VALUE) <= 1000));
    check("systick.counts_and_clears_its_flag", &[1, 0, 1]);
}

/// The cycle counter.
fn cycles() {
    write(0xE000_EDFC, read(0xE000_EDFC) | 1 << 24);
    write(0xE000_1004, 0);
    write(0xE000_1000, read(0xE000_1000) | 1);
    let first = read(0xE000_1004);
    let second = read(0xE000_1004);
    note(u32::from(second > first && second < 10_000));
    check("dwt.cycle_counter", &[1]);
}

/// All of them.
pub fn checks() {
    interrupts();
    events();
    sleep_on_exit();
    timer();
    cycles();
    handle(TICK, fault_entry);
}
