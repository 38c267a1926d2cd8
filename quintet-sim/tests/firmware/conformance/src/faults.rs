//! Faults: status, address, return address, escalation (B1.5.9, B1.5.14, B3.2.15).

use core::arch::{asm, naked_asm};
use core::sync::atomic::Ordering::Relaxed;

use crate::support::*;

/// An address at which neither board has anything.
const NOWHERE: u32 = 0x6000_0000;
/// HFSR.FORCED.
const FORCED: u32 = 1 << 30;

/// Runs one piece of assembly that faults, and notes what is seen.
macro_rules! fault {
    ($recovery:ident, $($assembly:tt)*) => {
        faulting(Recovery::$recovery, || {
            // SAFETY: the recorder survives what the assembly does.
            unsafe { asm!($($assembly)*, out("lr") _) }
        })
    };
}

fn usage() {
    let at: u32;
    // SAFETY: the recorder skips the instruction.
    unsafe { asm!("adr {}, 2f", "b 3f", ".p2align 2", "2:", "udf #1", "bx lr", "3:", out(reg) at) }
    fault!(Skip, "udf #1", "nop");
    check("undefined.narrow", &[6, 1 << 16, 0, 0]);
    fault!(Skip, "blx {}", in(reg) at + 1);
    note(SEEN.pc.load(Relaxed));
    check("undefined.returns_to_itself", &[6, 1 << 16, 0, 0, at]);
    fault!(Skip, "udf.w #1");
    check("undefined.wide", &[6, 1 << 16, 0, 0]);
    fault!(Return, "blx {}", in(reg) 0x2000_4000u32);
    check("invalid_state.by_blx", &[6, 1 << 17, 0, 0]);
    check_word("invalid_state.returns_to_the_target", 0x2000_4000, SEEN.pc.load(Relaxed));
    check_word("invalid_state.stacks_no_t_bit", 0, SEEN.xpsr.load(Relaxed) >> 24 & 1);
    fault!(Skip, "mrc p1, 0, {}, c0, c0, 0", out(reg) _);
    check("coprocessor.absent", &[6, 1 << 19, 0, 0]);
    write(CCR, read(CCR) | 1 << 4);
    fault!(Skip, "udiv {0}, {0}, {1}", inout(reg) 7 => _, in(reg) 0);
    check("division.trapped", &[6, 1 << 25, 0, 0]);
    write(CCR, read(CCR) & !(1 << 4));
    let mut quotient = 9;
    fault!(Skip, "sdiv {0}, {0}, {1}", inout(reg) 7 => quotient, in(reg) 0);
    note(quotient);
    check("division.gives_0_untrapped", &[0, 0, 0, 0, 0]);
}

fn alignment() {
    fault!(Skip, "ldm {}, {{r0, r1}}", in(reg) 0x2000_4002u32, out("r0") _, out("r1") _);
    check("unaligned.load_multiple", &[6, 1 << 24, 0, 0]);
    fault!(Skip, "strd {0}, {0}, [{1}]", in(reg) 0, in(reg) 0x2000_4001u32);
    check("unaligned.store_dual", &[6, 1 << 24, 0, 0]);
    fault!(Skip, "ldrex {0}, [{1}]", out(reg) _, in(reg) 0x2000_4002u32);
    check("unaligned.exclusive", &[6, 1 << 24, 0, 0]);
    write(0x2000_4000, 0x4433_2211);
    write(0x2000_4004, 0x8877_6655);
    let mut word = 0;
    fault!(Skip, "ldr {0}, [{1}]", out(reg) word, in(reg) 0x2000_4003u32);
    note(word);
    check("unaligned.load_allowed", &[0, 0, 0, 0, 0x7766_5544]);
    write(CCR, read(CCR) | 1 << 3);
    fault!(Skip, "ldr {0}, [{1}]", out(reg) _, in(reg) 0x2000_4003u32);
    check("unaligned.load_trapped", &[6, 1 << 24, 0, 0]);
    fault!(Skip, "strh {0}, [{1}]", in(reg) 0, in(reg) 0x2000_4003u32);
    check("unaligned.store_trapped", &[6, 1 << 24, 0, 0]);
    write(CCR, read(CCR) & !(1 << 3));
}

/// Whether the machine has something at every address, as some of QEMU's do.
fn answers_everywhere() -> bool {
    fault!(Skip, "ldr {0}, [{0}]", inout(reg) NOWHERE => _);
    let exception = logged(0);
    forget();
    exception == 0
}

fn bus() {
    fault!(Skip, "ldr {0}, [{0}]", inout(reg) NOWHERE + 16 => _);
    check("bus.load_is_precise", &[5, 0x8200, 0, NOWHERE + 16]);
    fault!(Skip, "ldrb {0}, [{0}]", inout(reg) NOWHERE + 3 => _);
    check("bus.byte_load_is_precise", &[5, 0x8200, 0, NOWHERE + 3]);
    // A Cortex-M3 buffers stores: the fault comes later and without an address.
    fault!(SkipIfPrecise, "str {0}, [{0}]", "dsb", in(reg) NOWHERE);
    check("bus.store_is_imprecise", &[5, 0x0400, 0, 0]);
    if answers_everywhere() {
        // The jump would not come back.
        print("NOT bus.jump: not tried\n");
    } else {
        fault!(Return, "blx {}", in(reg) NOWHERE + 1);
        note(SEEN.pc.load(Relaxed));
        check("bus.jump", &[5, 0x0100, 0, 0, NOWHERE]);
    }
    fault!(Return, "blx {}", in(reg) 0xE000_E001u32);
    check("memory.execute_never", &[4, 1, 0, 0]);
    fault!(Return, "blx {}", in(reg) 0x4000_0001u32);
    check("memory.peripherals_execute_never", &[4, 1, 0, 0]);
}

/// Faults at its own priority, then skips what has brought it here.
#[unsafe(naked)]
unsafe extern "C" fn faults_itself() {
    naked_asm!("ldr r0, [sp, #24]", "adds r0, #2", "str r0, [sp, #24]", "udf #2", "bx lr")
}

fn escalation() {
    write(SHCSR, 0);
    fault!(Skip, "udf #1", "nop");
    check("escalation.usage_disabled", &[3, 1 << 16, FORCED, 0]);
    fault!(Skip, "ldr {0}, [{0}]", inout(reg) NOWHERE => _);
    check("escalation.bus_disabled", &[3, 0x8200, FORCED, NOWHERE]);
    write(SHCSR, 7 << 16);
    prioritise(USAGE, 0x80);
    fault!(Skip, "msr basepri, {}", "udf #1", "nop", "msr basepri, {}", in(reg) 0x40, in(reg) 0);
    check("escalation.usage_masked", &[3, 1 << 16, FORCED, 0]);
    fault!(Skip, "cpsid i", "udf #1", "nop", "cpsie i");
    check("escalation.under_primask", &[3, 1 << 16, FORCED, 0]);
    prioritise(USAGE, 0);
    handle(USAGE, faults_itself);
    fault!(Skip, "udf #1", "nop");
    check("escalation.fault_in_its_own_handler", &[3, 1 << 16, FORCED, 0]);
    handle(USAGE, fault_entry);
}

fn debug_monitor() {
    write(0xE000_EDFC, read(0xE000_EDFC) | 1 << 16);
    fault!(Skip, "bkpt 1");
    note(read(0xE000_ED30) >> 1 & 1);
    check("monitor.breakpoint", &[12, 0, 0, 0, 1]);
    write(0xE000_ED30, 2);
    write(0xE000_EDFC, read(0xE000_EDFC) & !(1 << 16));
    fault!(Skip, "bkpt 1");
    check("breakpoint.without_monitor", &[3, 0, 1 << 31, 0]);
    write(0xE000_ED30, 2);
}

/// A comparator that watches loads below 256 finds a null pointer.
fn watchpoint() {
    write(0xE000_EDFC, 1 << 24 | 1 << 16);
    for (offset, value) in [(0, 0), (4, 8), (8, 5)] {
        write(0xE000_1020 + offset, value);
    }
    fault!(Retry, "ldr {0}, [{0}]", "nop", inout(reg) 4 => _);
    write(0xE000_1028, 0);
    note(read(0xE000_ED30) >> 2 & 1);
    check("monitor.watchpoint", &[12, 0, 0, 0, 1]);
    write(0xE000_ED30, 4);
    write(0xE000_EDFC, 0);
}

/// All of them.
pub fn checks() {
    write(SHCSR, 7 << 16);
    usage();
    alignment();
    bus();
    escalation();
    debug_monitor();
    watchpoint();
    write(SHCSR, 0);
}
