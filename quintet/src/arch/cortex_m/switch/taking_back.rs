//! Taking a resumption back that PendSV interrupted: of a thread, or of idle, that a call had
//! resumed, but that has not gone on.
//!
//! ```text
//!   where PendSV came               its stack, ascending
//!   the call's last instruction     frame | r4 .. r11 X | ...
//!   the stub's, an SVC                             frame | old frame | ...
//! ```
//!
//! It would do to suspend it there, and to resume it there. But then there were a frame more than
//! before; and an interrupt that comes at the same place each time, because the thread that ran in
//! between has started a device which takes so long, would add one each time. So the new frame is
//! dropped, and the thread is as it was before the call.
//!
//! At both places r0 is the control block of who is resumed. PendSV asks when what was in r0 is the
//! running thread's; and always when it suspends idle, behind whose registers its address is.
//! `udf #0x51` behind both instructions, which is never executed, tells them from all others.

use ::core::arch::naked_asm;

/// What PendSV branches to, with the registers of the thread in r1 stored at r3, which isn't noted
/// yet. Goes back to PendSV, which lets the thread in r0 run, or idle, if r2 is 0. r4 to r11 are
/// free.
///
/// # Safety
/// Only PendSV branches to it: lr is what the exception began with, and sp points to its frame, if
/// that is idle's.
#[unsafe(naked)]
pub unsafe extern "C" fn take_back() {
    naked_asm!(
        crate::__fpu!(".fpu fpv4-sp-d16"),
        "add r4, r3, #36",
        crate::__fpu!("tst lr, #0x10"),
        crate::__fpu!("it eq"),
        crate::__fpu!("addeq r4, #64"),
        "tst lr, #4",
        "it eq",
        "moveq r4, sp", // r4 = the frame
        "ldr r6, [r4]",
        "cmp r6, r1",
        "bne 2f",
        "ldr r5, [r4, #24]", // r5 = where it was interrupted
        "movw r7, #0xde51",  // udf #0x51
        "ldrh r6, [r5, #2]",
        "cmp r6, r7",
        "beq 1f", // behind an SVC
        "ldrh r6, [r5, #4]",
        "cmp r6, r7",
        "beq 3f", // behind a pop: what is noted is right
        "2:",
        "str r3, [r1]",
        "3:",
        "cbz r2, 4f",
        "b __quintet_suspended",
        "4:",
        "b __quintet_suspended_for_idle",
        "1:", // the old frame is behind this one
        crate::__fpu!("tst lr, #0x10"),
        crate::__fpu!("beq 5f"),
        "cmp r4, sp",
        "it eq",
        "addeq sp, #32", // idle's
        "beq 2b",
        "ldmia r3, {{r4-r11}}",
        "adds r3, #32",
        "stmia r3, {{r4-r11, r12}}",
        "b 2b",
        // With floating-point state. What was still to be stored of this frame has been, as PendSV
        // has stored registers since.
        crate::__fpu!("5:"),
        crate::__fpu!("cmp r4, sp"),
        crate::__fpu!("it eq"),
        crate::__fpu!("addeq sp, #104"),
        crate::__fpu!("beq 2b"),
        crate::__fpu!("ldmia r3, {{r4-r11}}"),
        crate::__fpu!("adds r3, #204"),
        crate::__fpu!("vstmdb r3!, {{s16-s31}}"),
        crate::__fpu!("stmdb r3!, {{r4-r11, r12}}"),
        crate::__fpu!("b 2b"),
    )
}
