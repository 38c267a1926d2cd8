//! The exceptions that switch: PendSV, which preempts, and SVCall, which the stub behind a
//! preempted thread asks to unstack.
//!
//! They are macros, because they name the application's functions.

/// PendSV's parts, by their labels:
///
/// ```text
///    0 LOOK     without the lock: is a ready thread above the limit of the running thread?
///    5 WAKE     threads were woken from any context: first make them ready, and look again
///    6 PAUSE    no switch may come: note that one is due
///   44 LOCK     no thread is above: look again with the lock, also at ceilings and at turns
///   11             under a ceiling, a function of the scheduler decides
///    9 STAY        nothing has changed
///    7 SWITCH      another thread runs, or idle does
///   12 SUSPEND  the registers and X go below the frame of the thread in r1
///   13             for sure
///   29 CONTINUE the registers and X come from the stack of the thread in r0
///    3 RETURN   the hardware unstacks the frame
///   30 TAKE OVER  a call that switches was interrupted: see `__take_over`
/// ```
///
/// lr has the address that returns to a thread, or to idle: as it is for a thread that follows a
/// thread, and set where idle is left or follows.
///
/// Defines PendSV and SVCall. The kernel's ceiling `$ceiling` doesn't matter: the lock is PRIMASK.
/// If no thread ever runs under a ceiling of threads, `without ceilings` leaves the code for these
/// ceilings out.
#[doc(hidden)]
#[macro_export]
macro_rules! __switch_exceptions {
    ($ceiling:expr) => {
        $crate::__switch_exceptions!($ceiling, preempt_under_ceiling, 31);
    };
    ($ceiling:expr, without ceilings) => {
        $crate::__switch_exceptions!($ceiling, preempt_never, 0);
    };
    ($ceiling:expr, $preempt:ident, $highest:literal) => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[inline(always)]
        extern "Rust" fn __quintet_highest_ceiling() -> ::core::primitive::u32 {
            $highest
        }

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn PendSV() {
            ::core::arch::naked_asm!(
                "0:",                             // LOOK for a more urgent thread, without the lock
                "ldr r0, 17f",                    // r0 = the note of a pause
                "ldr r2, 19f",                    // r2 = the scheduler
                "ldr r0, [r0]",                   // not 0 in a pause
                "ldr r1, [r2]",                   // the thread that was woken last
                "orrs r1, r0",                    // is there either?
                "bne 5f",                         // yes
                "ldr r1, [r2, #4]",               // r1 = running
                "ldr r0, [r2, #8]",               // r0 = ready
                "ldr r3, [r1, #{limit}]",         // r3 = the running thread's limit
                "cmp r0, r3",                     // is the most urgent above it?
                "bls 4f",                         // none above the limit: rarely anything to do
                $crate::__find_first!("10"),
                "ldr r2, 19f",                    // r2 = the scheduler
                "str r0, [r2, #4]",               // r0 runs
                "12:",                            // SUSPEND the thread in r1: onto its own stack
                $crate::__process!("mrs r3, CONTROL\n lsrs r3, r3, #1"), // C = CONTROL.nPRIV
                $crate::__process!("bcs 50f"),    // a process is left
                "mrs r3, PSP",                    // r3 = where the thread's frame is
                "ldr r2, [r3]",                   // r2 = its r0; behind idle's words, idle
                "subs r3, #20",                   // r3 = where the lower registers go
                "cmp r2, r1",                     // was r0 its control block?
                "beq 30f",                        // has it gone on since it was resumed?
                "13:",
                "ldr r2, 16f",                    // r2 = X: the stub
                "stmia r3!, {{r4-r7}}",           // first the lower ones,
                "str r2, [r3]",                   // and X behind them
                "subs r3, #32",                   // r3 = where its registers are
                "str r3, [r1]",                   // it is suspended
                "mov r4, r8",                     // then the upper ones, which
                "mov r5, r9",                     // can't be
                "mov r6, r10",                    // stored from
                "mov r7, r11",                    // where they are
                "stmia r3!, {{r4-r7}}",           // below
                "29:",                            // CONTINUE with the thread in r0; r2 = the stub
                "ldr r3, [r0]",                   // r3 = where r0's registers are
                $crate::__process!("ldr r1, 18f"), // r1 = the stack of all processes
                $crate::__process!("cmp r3, r1"), // is r0 a process?
                $crate::__process!("beq 51f"),    // yes: it has its own way in
                "ldmia r3!, {{r4-r7}}",           // the upper ones,
                "mov r8, r4",                     // which
                "mov r9, r5",                     // can't be
                "mov r10, r6",                    // loaded to
                "mov r11, r7",                    // where they belong
                "ldmia r3!, {{r4-r7}}",           // the lower ones
                "ldmia r3!, {{r1}}",              // r1 = X, where it continues
                "cmp r1, r2",                     // was it suspended by PendSV?
                "beq 3f",                         // yes: the hardware's frame is behind
                "subs r3, #32",                   // r3 = a frame over the loaded words
                "subs r1, #1",                    // suspended by a call: where it goes on,
                "str r1, [r3, #24]",              // from the frame
                "movs r1, #1",                    // in Thumb state,
                "lsls r1, r1, #24",               // no flags
                "str r1, [r3, #28]",              // a call may change the other registers
                "3:",                             // RETURN through the frame at r3
                "msr PSP, r3",                    // the hardware loads the frame from there
                "bx lr",                          // r0's thread, or idle, continues
                $crate::__leave_process!(),
                $crate::__look_at_fault!(),
                $crate::__find_first_rest!("10"),
                "6:",                             // PAUSE
                $crate::__process!("cmp r0, #{fault}"),           // has a process a fault?
                $crate::__process!("beq 52b"),    // yes, and nothing pauses
                "ldr r0, 17f",                    // r0 = the note of a pause
                "movs r1, #{due}",                // a switch is due
                "str r1, [r0]",                   // whoever ends the pause pends it
                "bx lr",                          // the same thread continues
                "5:",                             // in a pause, or threads were woken
                "cmp r0, #0",                     // is there a pause?
                "bne 6b",                         // yes
                "adds r2, #{queue}",              // r2 = the queues
                "ldr r3, [r2, #124]",             // r3 = the table of optional functions
                "ldr r3, [r3]",                   // the first one wakes all
                "push {{r0, lr}}",                // r0 keeps the stack aligned
                "blx r3",                         // they are made ready
                "pop {{r0, r1}}",                 // r1 = the return address
                "mov lr, r1",                     // as it was
                "b 0b",                           // and looks again from the beginning
                "4:",                             // no thread is above: a branch of a short reach
                "b 44f",                          // comes this way
                $crate::__take_over!(),
                "44:",                            // LOCK, and look again
                "cpsid i",                        // the lock is taken
                "ldr r1, [r2, #4]",               // r1 = running
                "ldr r0, [r2, #8]",               // r0 = ready
                $crate::__find_first!("20"),
                "cmp r0, r1",                     // does it run already?
                "beq 9f",                         // the same
                "ldr r2, [r0, #{bit}]",           // r2 = the bit of the most urgent
                "ldr r3, [r1, #{limit}]",         // r3 = the running thread's limit
                "cmp r2, r3",                     // is it above the limit?
                "bhi 7f",                         // it has become ready since
                "lsls r3, r3, #31",               // N = the limit's lowest bit
                "bpl 11f",                        // 0: it is under a ceiling of threads
                "ldr r3, [r1, #{bit}]",           // r3 = the running thread's bit
                "cmp r3, #0",                     // is it suspended?
                "beq 7f",                         // yes
                "cmp r3, r2",                     // are they equally urgent?
                "beq 7f",                         // its turn is over
                "ldr r2, 19f",                    // r2 = the scheduler
                "ldr r2, [r2, #8]",               // r2 = ready
                "tst r2, r3",                     // is the running thread's priority there?
                "beq 7f",                         // it is no longer ready
                "9:",                             // STAY with the thread in r1
                "cpsie i",                        // the lock ends
                "bx lr",                          // the same thread continues
                $crate::__find_first_rest!("20"),
                "11:",                            // r0 may have to wait for the end of the ceiling
                "push {{r2, lr}}",                // r2 keeps the stack aligned
                "bl {preempt_under_ceiling}",     // r0 = the thread above the ceiling
                "pop {{r2, r3}}",                 // r3 = the return address
                "mov lr, r3",                     // as it was
                "cmp r0, #0",                     // is there one?
                "beq 9b",                         // no: the same thread continues
                "ldr r2, 19f",                    // r2 = the scheduler
                "ldr r1, [r2, #4]",               // r1 = running, which the call has changed
                "7:",                             // SWITCH from r1 to r0, decided under the lock
                "ldr r2, 19f",                    // r2 = the scheduler
                "str r0, [r2, #4]",               // r0 runs
                "cpsie i",                        // the lock ends
                "ldr r3, [r0, #{bit}]",           // r3 = r0's bit
                "cmp r3, #1",                     // is it idle's?
                "beq 8f",                         // yes
                "b 12b",                          // no: as without the lock
                "8:",
                "movs r2, #6",                    // r2 = 0xfffffff9: return to idle,
                "mvns r2, r2",                    // on the main stack
                "mov lr, r2",                     // lr = the return address
                "b 12b",                          // the rest is as for a thread
                $crate::__slots!(),
                "17:",
                ".word {pause}",
                "19:",
                ".word {scheduler}",
                "16:",
                ".word __quintet_resume",
                "14:",
                ".word __quintet_switch_window",
                "/* {fault} {saved} */",
                scheduler = sym $crate::export::threads::SCHEDULER,
                pause = sym $crate::export::threads::PAUSE,
                due = const $crate::export::threads::DUE,
                fault = const 4,
                saved = const $crate::export::threads::offset::SAVED,
                queue = const $crate::export::threads::offset::QUEUE,
                bit = const $crate::export::threads::offset::BIT,
                limit = const $crate::export::threads::offset::LIMIT,
                preempt_under_ceiling = sym $crate::export::threads::$preempt,
            )
        }

        /// Drops its own frame, and returns through the frame that the stub found.
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn SVCall() {
            ::core::arch::naked_asm!(
                $crate::__process!("mrs r0, CONTROL"),            // CONTROL of the interrupted code
                $crate::__process!("lsrs r0, r0, #1"),            // C = nPRIV
                $crate::__process!("bcc 1f\n ldr r0, 4f"),        // no process has called
                $crate::__process!("bx r0\n 1:"), // a process has called
                "mov r0, lr",                     // r0 = the return address
                "lsrs r0, r0, #3",                // C = was the process stack in use?
                "bcc 2f",                         // no: idle's stub has called
                "mrs r0, PSP",                    // r0 = SVCall's own frame
                $crate::__begin_process!(),
                "adds r0, #32",                   // r0 = the frame behind, of eight words
                "msr PSP, r0",                    // the hardware loads that one
                "bx lr",                          // the thread continues
                "2:",
                "add sp, #32",                    // the frame behind, of eight words
                "bx lr",                          // idle continues
            )
        }
    };
}

/// Takes over what a call that switches has begun, if PendSV has interrupted one. r1 is the thread
/// that the call lets run, and r3 points 20 bytes below the process stack pointer, with the frame
/// there, or idle's on the main stack.
///
/// ```text
///   PendSV came before              the thread that is left             the thread in r1
///   its registers are pushed        all registers are still its own     as it was
///   the upper ones are pushed       the lower ones are on its stack     as it was
///   it is noted as suspended        all registers are on its stack      as it was
///   the last pop                    suspended                           as it was; but PendSV's
///                                                                       frame is over the first
///                                                                       words
///   the stub's SVC                  suspended                           PendSV's frame is below
///                                                                       the older one: it goes
/// ```
///
/// Idle is resumed on the main stack, by the same stub: there its new frame goes, and its registers
/// are where they were.
///
/// A call begins at a stack pointer that is a multiple of 8, so the hardware aligns the frame by a
/// word after the first push. By the same reason there is no such word before that, and none at
/// the stub.
#[doc(hidden)]
#[macro_export]
macro_rules! __take_over {
    () => {
        ::core::concat!(
            "
        30:
        ldr r2, [r1, #{bit}]                  // idle's bit is 1, no thread's is
        cmp r2, #1                            // was it idle?
        bne 32f                               // no
        mov r2, lr                            // it was, or was about to run:
        lsrs r2, r2, #3                       // C = is the process stack still in use?
        bcs 32f                               // yes: a call has not come to idle yet
        ldr r2, [sp, #24]                     // r2 = where idle was interrupted
        ldr r0, 16f                           // r0 = the stub, in Thumb state
        subs r0, #1                           // r0 = its first instruction
        subs r2, r2, r0                       // how far behind that?
        movs r0, #2                           // r0 = 0xfffffffd: return to a thread,
        mvns r0, r0                           // on the process stack
        mov lr, r0                            // lr = the return address
        cmp r2, #4                            // the stub's SVC
        bhi 33f                               // not between them: it has gone on
        add sp, #32                           // idle's new frame is dropped
        b 34f                                 // and its registers are noted already
        32:
        ldr r2, [r3, #44]                     // r2 = where the thread was interrupted
        ldr r0, 14f                           // r0 = where the call's switch begins
        subs r2, r2, r0                       // how far behind that?
        cmp r2, #74                           // the change to the main stack
        bhi 35f                               // not between them
        cmp r2, #32                           // the last pop
        beq 40f                               // is about to be executed
        cmp r2, #40                           // the switch to idle
        blo 36f                               // not that one
        subs r2, #40                          // its beginning is the same
        36:
        cmp r2, #14                           // the store that notes a thread
        bhi 34f                               // was executed: all is noted
        ldr r0, [r3, #24]                     // r0 = the thread that is left, the frame's r1
        cmp r2, #0                            // the first push
        beq 41f                               // is about to be executed
        cmp r2, #10                           // the second push
        bhi 42f                               // was executed
        adds r3, #40                          // r3 = below the lower ones
        str r3, [r0]                          // it is suspended
        b 43f                                 // the upper ones are missing
        42:
        adds r3, #56                          // r3 = the pushed registers
        str r3, [r0]                          // it is suspended
        b 34f                                 // with all its registers
        41:
        ldr r2, [r3, #40]                     // r2 = X: the frame's lr
        adds r3, #32                          // r3 = five words below the stack as it was
        stmia r3!, {{r4-r7}}                  // the lower ones are still in place
        str r2, [r3]                          // X
        subs r3, #32                          // r3 = where its registers are
        str r3, [r0]                          // it is suspended
        b 43f                                 // the upper ones are missing
        40:
        ldr r3, [r1]                          // r3 = the registers of r1, as they were
        43:
        mov r4, r8                            // the upper ones,
        mov r5, r9                            // which no instruction
        mov r6, r10                           // of the switch
        mov r7, r11                           // has changed since
        stmia r3!, {{r4-r7}}                  // at the lowest addresses
        34:
        ldr r2, 19f                           // r2 = the scheduler
        ldr r0, [r2, #4]                      // r0 = the thread that runs next
        ldr r2, 16f                           // r2 = the stub
        b 29b                                 // continue with it
        35:
        ",
            $crate::__take_over_process!(),
            "
        ldr r2, [r3, #44]                     // r2 = where the thread was interrupted
        ldr r0, 16f                           // r0 = the stub, in Thumb state
        subs r0, #1                           // r0 = its first instruction
        subs r2, r2, r0                       // how far behind that?
        cmp r2, #4                            // the stub's SVC
        bhi 33f                               // not between them: it has gone on
        adds r3, #32                          // the new frame is dropped
        33:
        ldr r2, 19f                           // r2 = the scheduler
        ldr r0, [r2, #4]                      // r0 = the thread that runs next
        b 13b                                 // the thread is suspended as usual
        "
        )
    };
}
