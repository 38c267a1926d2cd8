//! EXC_RETURN: the ways to return, and the checks against wrong ones (B1.5.8).

use core::arch::naked_asm;
use core::sync::atomic::Ordering::Relaxed;

use crate::support::*;

/// UsageFault, INVPC.
const INVALID: [u32; 4] = [USAGE as u32, 0x0004_0000, 0, 0];

/// A handler that returns with another way to write PC than BX LR.
macro_rules! returning {
    ($name:ident, $($body:tt)*) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!("push {{r4, lr}}", "movs r0, #0x10", "bl {note}", $($body)*
                note = sym noted)
        }
    };
}

extern "C" fn noted(event: u32) {
    note(event);
}

returning!(by_pop, "pop {{r4, pc}}",);
returning!(by_ldm, "mov r1, sp", "add sp, #8", "ldm.w r1, {{r4, pc}}",);
returning!(by_ldr, "pop {{r4}}", "ldr.w pc, [sp], #4",);
returning!(by_bx, "pop {{r4}}", "pop {{r1}}", "bx r1",);

/// A handler that returns with `$value`.
macro_rules! wrong {
    ($name:ident, $value:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!(concat!("ldr r0, =", $value), "bx r0", ".pool")
        }
    };
}

/// UsageFault's handler after a refused return. The handler that tried is left, the fault is
/// tail-chained to it, and its LR is the refused value: this returns with the right one instead.
macro_rules! right {
    ($name:ident, $value:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!(
                "mov r0, lr",
                "mov r1, sp",
                "push {{r3, lr}}",
                "bl {record}",
                "pop {{r3, lr}}",
                concat!("ldr r0, =", $value),
                "bx r0",
                ".pool",
                record = sym record,
            )
        }
    };
}

right!(to_thread_after_all, "0xFFFFFFF9");
right!(to_handler_after_all, "0xFFFFFFF1");
wrong!(reserved_value, "0xFFFFFFF5");
wrong!(to_handler, "0xFFFFFFF1");

fn instructions() {
    for (name, handler) in [
        ("exc_return.by_pop", by_pop as unsafe extern "C" fn()),
        ("exc_return.by_ldm", by_ldm),
        ("exc_return.by_ldr", by_ldr),
        ("exc_return.by_bx", by_bx),
    ] {
        interrupt(41, 0x40, handler);
        pend(41);
        note(1);
        check(name, &[0x10, 1]);
    }
}

fn refusals() {
    handle(USAGE, to_thread_after_all);
    for (name, value, handler) in [
        ("exc_return.reserved_value", 0xFFFF_FFF5, reserved_value as unsafe extern "C" fn()),
        ("exc_return.to_a_handler_when_none_is_active", 0xFFFF_FFF1, to_handler),
    ] {
        interrupt(41, 0x40, handler);
        faulting(Recovery::Retry, || pend(41));
        note(SEEN.exc_return.load(Relaxed));
        check(name, &[USAGE as u32, 0x0004_0000, 0, 0, value]);
    }
    handle(USAGE, fault_entry);
}

/// In thread mode, the values are addresses, and those are never executable (B3.1).
fn thread_mode() {
    faulting(Recovery::Return, || {
        // SAFETY: the recorder returns to LR.
        unsafe {
            core::arch::asm!("bl 3f", "b 4f", "3:", "ldr r0, =0xFFFFFFF9", "bx r0", ".pool", "4:",
                out("r0") _, out("lr") _);
        }
    });
    check("exc_return.is_no_return_in_thread_mode", &[4, 1, 0, 0]);
}

extern "C" fn pends_more() {
    pend(42);
}

#[unsafe(naked)]
unsafe extern "C" fn to_thread_from_nested() {
    naked_asm!("ldr r0, =0xFFFFFFF9", "bx r0", ".pool")
}

/// A return to thread mode while another exception is active.
fn nested() {
    interrupt(41, 0x80, pends_more);
    interrupt(42, 0x40, to_thread_from_nested);
    handle(USAGE, to_handler_after_all);
    faulting(Recovery::Retry, || pend(41));
    check("exc_return.to_thread_while_nested", &INVALID);
    handle(USAGE, fault_entry);
    quiet();
}

#[unsafe(naked)]
unsafe extern "C" fn spoils_status() {
    // The stacked xPSR claims exception 3: no thread mode (B1.5.8).
    naked_asm!("ldr r0, [sp, #28]", "mov r1, #3", "orr r0, r1", "str r0, [sp, #28]", "bx lr")
}

/// The recorder's own return must be to a good frame, which it repairs first.
#[unsafe(naked)]
unsafe extern "C" fn repairs_status() {
    naked_asm!(
        "ldr r0, [sp, #28]",
        "mov r1, #0x1FF",
        "bic r0, r1",
        "str r0, [sp, #28]",
        "b {entry}",
        entry = sym fault_entry
    )
}

fn stacked_status() {
    interrupt(41, 0x40, spoils_status);
    handle(USAGE, repairs_status);
    faulting(Recovery::Retry, || pend(41));
    check("exc_return.status_of_a_handler", &INVALID);
    handle(USAGE, fault_entry);
    quiet();
}

/// All of them.
pub fn checks() {
    write(SHCSR, 7 << 16);
    instructions();
    refusals();
    thread_mode();
    nested();
    stacked_status();
    write(SHCSR, 0);
    quiet();
}
