//! Taking a resumption back that PendSV interrupted: of a thread, or of idle, that a call had
//! resumed, but that has not gone on.
//!
//! ```text
//!   a stack, ascending, where PendSV came ...
//!   before the pop, in the call's last instruction:        frame | r4 .. r11 X | ...
//!   in the stub, while it unstacks a frame:                          frame | old frame | ...
//!   before the stub's last instruction:                        frame of which the last words are
//!                                                              the old one's first
//! ```
//!
//! It would do to suspend it there, and to resume it there. But then there were a frame more than
//! before; and an interrupt that comes at the same place each time, because the thread that ran in
//! between has started a device which takes so long, would add one each time. So the new frame is
//! dropped, and the thread is as it was before the call.
//!
//! PendSV asks when it suspends a thread deeper in its stack than the last time, which all of these
//! are, and always when it suspends idle, whose stack pointer is kept at the highest address.
//!
//! Sources: Armv7-M Architecture Reference Manual, B1.5.7: an interrupted load of several registers
//! has not changed its base register.

use ::core::arch::naked_asm;

use crate::core::scheduler::offset;

/// What PendSV branches to, with the thread in r1 suspended at r3, where its stack pointer was r2
/// before. Goes back to PendSV, which lets the thread in r0 run; r4 to r11 are free, as they are on
/// the stack, or idle's among its registers.
///
/// # Safety
/// Only PendSV branches to it: lr is what the exception began with, and sp points to its frame, if
/// that is idle's.
#[unsafe(naked)]
pub unsafe extern "C" fn take_back() {
    naked_asm!(
        crate::__fpu!(".fpu fpv4-sp-d16"),
        "movw r6, #:lower16:__quintet_resume",
        "movt r6, #:upper16:__quintet_resume",
        "bic r6, #1",                         // r6 = the stub
        "movw r7, #:lower16:__quintet_resume_last",
        "movt r7, #:upper16:__quintet_resume_last", // r7 = its last instruction
        "movw r8, #:lower16:__quintet_resume_end",
        "movt r8, #:upper16:__quintet_resume_end",  // r8 = its end
        "movw r9, #0xde51",                   // r9 = `udf #0x51`
        "tst lr, #4",
        "beq 5f",                             // idle
        crate::__fpu!("tst lr, #0x10"),
        crate::__fpu!("beq 4f"),
        "ldr r5, [r3, #60]",                  // r5 = where it was interrupted
        "cmp r5, r6",
        "blo 3f",
        "cmp r5, r8",
        "bhs 3f",
        "cmp r5, r7",
        "beq 1f",
        "ldmia r3, {{r4-r11}}",               // in the stub: the old frame is behind this one
        "adds r3, #32",
        "b 2f",
        "1:",                                 // the old frame is 8 bytes behind this one, whose
        "add r4, r3, #36",                    // registers were loaded from there
        "ldmia r4, {{r5-r10}}",
        "adds r4, #8",
        "stmia r4, {{r5-r10}}",
        "ldmia r3, {{r4-r11}}",
        "adds r3, #8",
        "2:",
        "stmia r3, {{r4-r11, r12}}",
        "str r3, [r1]",
        "ldr r4, [r3, #60]",                  // where it goes on, which the stub has made odd
        "bic r4, #1",
        "str r4, [r3, #60]",
        "b 9f",
        "3:",                                 // before `pop {{r4-r11, pc}}` of a switch?
        "subs r4, r2, r3",
        "subs r4, #68",                       // the frame is below what it pops, aligned
        "cmp r4, #4",
        "bhi 9f",
        "ldrh r4, [r5, #4]",
        "cmp r4, r9",
        "bne 9f",
        "ldrh r4, [r5]",
        "movw r6, #0xe8bd",
        "cmp r4, r6",
        "bne 9f",
        "ldrh r4, [r5, #2]",
        "movw r6, #0x8ff0",
        "cmp r4, r6",
        "it eq",
        "streq r2, [r1]",                     // then all is where it was
        "b 9f",
        // With floating-point state: before the stub's SVC? What was still to be stored of this
        // frame has been, as PendSV has stored registers since.
        crate::__fpu!("4:"),
        crate::__fpu!("movw r7, #:lower16:__quintet_resume_fpu_last"),
        crate::__fpu!("movt r7, #:upper16:__quintet_resume_fpu_last"),
        crate::__fpu!("ldr r5, [r3, #124]"),
        crate::__fpu!("cmp r5, r7"),
        crate::__fpu!("bne 9f"),
        crate::__fpu!("ldmia r3, {{r4-r11}}"),
        crate::__fpu!("adds r3, #204"),       // behind this frame is the old one
        crate::__fpu!("vstmdb r3!, {{s16-s31}}"),
        crate::__fpu!("stmdb r3!, {{r4-r11, r12}}"),
        crate::__fpu!("str r3, [r1]"),
        crate::__fpu!("b 9f"),
        "5:",                                 // idle
        "str r3, [r1, #{place}]",
        "mvn r4, #0",
        "str r4, [r1]",
        "ldr r5, [sp, #24]",
        crate::__fpu!("tst lr, #0x10"),
        crate::__fpu!("beq 8f"),
        "cmp r5, r7",
        "beq 7f",
        "cmp r5, r6",
        "blo 6f",
        "cmp r5, r8",
        "blo 10f",                            // in the stub
        "6:",
        "ldrh r4, [r5, #2]",                  // before `bx r12` to it?
        "cmp r4, r9",
        "bne 9f",
        "ldrh r4, [r5]",
        "movw r6, #0x4760",
        "cmp r4, r6",
        "bne 9f",
        "10:",
        "add sp, #32",
        "b 11f",
        "7:",
        "ldmia sp, {{r4-r9}}",
        "add sp, #8",
        "stmia sp, {{r4-r9}}",
        "11:",
        "ldr r4, [sp, #24]",
        "bic r4, #1",
        "str r4, [sp, #24]",
        "b 9f",
        crate::__fpu!("8:"),                  // before the SVC that unstacks the frame?
        crate::__fpu!("ldrh r4, [r5, #2]"),
        crate::__fpu!("cmp r4, r9"),
        crate::__fpu!("bne 9f"),
        crate::__fpu!("ldrh r4, [r5]"),
        crate::__fpu!("movw r6, #0xdf00"),
        crate::__fpu!("cmp r4, r6"),
        crate::__fpu!("it eq"),
        crate::__fpu!("addeq sp, #104"),
        "9:",
        "ldr r4, [r0, #{bit}]",
        "cmp r4, #1",
        "beq 12f",
        "b __quintet_suspended",
        "12:",
        "b __quintet_suspended_for_idle",
        bit = const offset::BIT,
        place = const offset::PLACE,
    )
}
