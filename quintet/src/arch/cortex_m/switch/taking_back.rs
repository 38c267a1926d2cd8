//! Taking back a resumption that PendSV interrupted. A call had resumed a thread, or idle, that has
//! not continued yet.
//!
//! ```text
//!   where PendSV came               its stack, ascending
//!   the call's last instruction     frame | r4 .. r11 X | ...
//!   the stub's, an SVC                             frame | old frame | ...
//! ```
//!
//! It would be correct to suspend the thread there, and to resume it there. But then the stack
//! would have one more frame than before. An interrupt may come at the same place each time, if the
//! thread that ran in between has started a device that takes exactly this long; each time would
//! add a frame. So the new frame is dropped, and the thread is as it was before the call.
//!
//! At both places r0 is the control block of the resumed thread. So PendSV checks this if the r0 in
//! the frame is the running thread's control block. PendSV always checks this when it suspends
//! idle, as the address of idle's control block lies behind idle's registers. `udf #0x51` behind
//! both places, which is never executed, distinguishes them from all other instructions. Before the
//! SVC there is an ISB, where PendSV may come as well. Without the ISB, the mask, which the call
//! has just lowered, could still hold the SVC off, which would be a fault. A lower mask takes
//! effect at an ISB at the latest.

/// Continues PendSV, with the registers of the thread in r1 stored at r3, which isn't noted yet:
/// notes the right address. Then PendSV continues with another thread, at the label 29, or with
/// idle, behind this code, if r2 is 0. r4 to r11 are free; sp points to the frame, if that is
/// idle's.
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
            // With floating-point state. The lazy part of this frame is stored by now, as PendSV
            // has stored registers since.
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
