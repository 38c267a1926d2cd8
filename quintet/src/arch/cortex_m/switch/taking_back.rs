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
//! `udf #0x51` behind both, which is never executed, tells them from all other instructions. Before
//! the SVC is an ISB, where PendSV may come as well: an SVC that the mask still held off, which the
//! call has just lowered, would be a fault. A lower mask counts from an ISB on at the latest.

/// What PendSV goes on with, with the registers of the thread in r1 stored at r3, which isn't noted
/// yet: notes where they are to be. Then another thread is about to run, at the label 29, or idle,
/// behind this, if r2 is 0. r4 to r11 are free; sp points to the frame, if that is idle's.
#[doc(hidden)]
#[macro_export]
macro_rules! __take_back {
    () => {
        ::core::concat!(
            "
            mrs r4, PSP
            tst lr, #4
            it eq
            moveq r4, sp                  // r4 = the frame
            ldr r6, [r4]
            cmp r6, r1
            bne 34f
            ",
            $crate::__process!(
                "
                ldr r5, [r1]                  // a process: what is noted is right, but for what
                movw r6, #:lower16:__quintet_trampoline   // this frame lies over
                movt r6, #:upper16:__quintet_trampoline
                cmp r5, r6
                ittt eq
                ldreq r7, 18f
                streq r7, [r6, #32]
                beq 35f
                "
            ),
            "
            ldr r5, [r4, #24]             // r5 = where it was interrupted
            movw r7, #0xde51              // udf #0x51
            ldrh r6, [r5, #2]
            cmp r6, r7
            beq 33f                       // behind an SVC
            ldrh r6, [r5, #6]
            cmp r6, r7
            beq 33f                       // behind that and an ISB
            ldrh r6, [r5, #4]
            cmp r6, r7
            beq 35f                       // behind a pop: what is noted is right
            34:
            str r3, [r1]
            35:
            cbz r2, 36f
            b 29b
            33:                           // the old frame is behind this one
            ",
            $crate::__fpu!(
                "
                tst lr, #0x10
                beq 37f
                "
            ),
            "
            cmp r4, sp
            it eq
            addeq sp, #32                 // idle's
            beq 34b
            ldmia r3, {{r4-r11}}
            adds r3, #32
            stmia r3, {{r4-r11, r12}}
            b 34b
            ",
            // With floating-point state. What was still to be stored of this frame has been, as
            // PendSV has stored registers since.
            $crate::__fpu!(
                "
                37:
                cmp r4, sp
                it eq
                addeq sp, #104
                beq 34b
                ldmia r3, {{r4-r11}}
                adds r3, #204
                vstmdb r3!, {{s16-s31}}
                stmdb r3!, {{r4-r11, r12}}
                b 34b
                "
            ),
            "
            36:
            "
        )
    };
}
