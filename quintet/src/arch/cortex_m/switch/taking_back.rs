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
            mrs r4, PSP                       // r4 = the frame of a thread
            tst lr, #4                        // was the main stack in use?
            it eq                             // if so, it is idle's
            moveq r4, sp                      // r4 = the frame
            ldr r6, [r4]                      // r6 = its r0
            cmp r6, r1                        // is it the control block of r1?
            bne 34f                           // no: it has gone on
            ",
            $crate::__process!(
                "
                ldr r5, [r1]                  // a process: what is noted is right, but for what
                movw r6, #:lower16:__quintet_trampoline       // this frame lies over
                movt r6, #:upper16:__quintet_trampoline       // all processes have this stack
                cmp r5, r6                    // is r1 a process?
                ittt eq                       // if so,
                ldreq r7, 18f                 // the stub of a process
                streq r7, [r6, #32]           // is X of the stack again
                beq 35f                       // and nothing else is noted
                "
            ),
            "
            ldr r5, [r4, #24]                 // r5 = where it was interrupted
            movw r7, #0xde51                  // udf #0x51
            ldrh r6, [r5, #2]                 // r6 = what follows an instruction of 2 bytes
            cmp r6, r7                        // is it the mark?
            beq 33f                           // behind an SVC
            ldrh r6, [r5, #6]                 // r6 = what follows one of 4 and one of 2
            cmp r6, r7                        // is it the mark?
            beq 33f                           // behind that and an ISB
            ldrh r6, [r5, #4]                 // r6 = what follows one of 4
            cmp r6, r7                        // is it the mark?
            beq 35f                           // behind a pop: what is noted is right
            34:
            str r3, [r1]                      // r1 is suspended: where its registers are
            35:
            cbz r2, 36f                       // to idle: continue behind this code
            b 29b                             // to another thread: continue there
            33:                               // the old frame is behind this one
            ",
            $crate::__fpu!(
                "
                tst lr, #0x10                 // does it have floating-point state?
                beq 37f                       // yes: the frames are longer
                "
            ),
            "
            cmp r4, sp                        // is it idle's?
            it eq                             // if so,
            addeq sp, #32                     // idle's new frame is dropped
            beq 34b                           // its registers lie elsewhere, and stay
            ldmia r3, {{r4-r11}}              // the stored registers move up
            adds r3, #32                      // by the size of the frame that is dropped,
            stmia r3, {{r4-r11, r12}}         // and end at the old frame
            b 34b                             // which is noted
            ",
            // With floating-point state. The lazy part of this frame is stored by now, as PendSV
            // has stored registers since.
            $crate::__fpu!(
                "
                37:
                cmp r4, sp                    // is it idle's?
                it eq                         // if so,
                addeq sp, #104                // the new frame of 26 words is dropped
                beq 34b                       // its registers lie elsewhere, and stay
                ldmia r3, {{r4-r11}}          // the stored registers move up
                adds r3, #204                 // by that frame: the end is 100 + 104 from r3
                vstmdb r3!, {{s16-s31}}       // s16 to s31 end at the old frame,
                stmdb r3!, {{r4-r11, r12}}    // and the others lie below them
                b 34b                         // which is noted
                "
            ),
            "
            36:
            "
        )
    };
}
