//! The exceptions that switch: PendSV, which preempts, and SVCall, which the stub behind a
//! preempted thread asks to unstack.
//!
//! They are macros, because they name the application's ceiling.

/// Assembly only for processors with floating point.
#[cfg(fpu)]
#[doc(hidden)]
#[macro_export]
macro_rules! __fpu {
    ($line:literal) => {
        $line
    };
}

/// Assembly only for processors with floating point.
#[cfg(not(fpu))]
#[doc(hidden)]
#[macro_export]
macro_rules! __fpu {
    ($line:literal) => {
        ""
    };
}

/// Branches to the label 5 if r0 isn't 0. This is too far for one instruction with floating point,
/// or with processes together with a guard, a limit or statistics.
#[cfg(any(fpu, all(processes, any(stack_limit, stack_guard_moves, feature = "statistics"))))]
#[doc(hidden)]
#[macro_export]
macro_rules! __if_woken {
    () => {
        "
        cmp r0, #0                            // was a thread woken from anywhere?
        bne 5f                                // yes: it is made ready first
        "
    };
}

/// Branches to the label 5 if r0 isn't 0.
#[cfg(not(any(fpu, all(processes, any(stack_limit, stack_guard_moves, feature = "statistics")))))]
#[doc(hidden)]
#[macro_export]
macro_rules! __if_woken {
    () => {
        "cbnz r0, 5f" // a thread was woken: it is made ready first
    };
}

/// Assembly only for processors with a limit of the stack.
#[cfg(stack_limit)]
#[doc(hidden)]
#[macro_export]
macro_rules! __limit {
    ($line:literal) => {
        $line
    };
}

/// Assembly only for processors with a limit of the stack.
#[cfg(not(stack_limit))]
#[doc(hidden)]
#[macro_export]
macro_rules! __limit {
    ($line:literal) => {
        ""
    };
}

/// r3 = the process stack pointer, where PendSV stores the registers of the thread in r1 if there
/// is room. The processor compares with the limit only stores by its own stack pointer. Changes
/// r12.
#[cfg(stack_limit)]
#[doc(hidden)]
#[macro_export]
macro_rules! __process_stack {
    () => {
        ::core::concat!(
            "
            mrs r3, PSP                       // r3 = where the thread's frame is
            mrs r12, PSPLIM                   // r12 = the lowest address of the stack,
            add r12, #36                      // plus nine words for r4 to r11 and X
            ",
            $crate::__fpu!(
                "
                tst lr, #0x10                 // does it have floating-point state?
                it eq                         // if so,
                addeq r12, #64                // plus 16 words for s16 to s31
                "
            ),
            "
            cmp r3, r12                       // is there room below the frame?
            blo __quintet_stack_overflowed    // no: the overflow is reported
            "
        )
    };
}

/// r3 = the process stack pointer. A store without room hits the guard.
#[cfg(not(stack_limit))]
#[doc(hidden)]
#[macro_export]
macro_rules! __process_stack {
    () => {
        "mrs r3, PSP" // r3 = where the thread's frame is
    };
}

/// Assembly only for processors whose one guard of a stack moves with each switch.
#[cfg(stack_guard_moves)]
#[doc(hidden)]
#[macro_export]
macro_rules! __moving_guard {
    ($line:literal) => {
        $line
    };
}

/// Assembly only for processors whose one guard of a stack moves with each switch.
#[cfg(not(stack_guard_moves))]
#[doc(hidden)]
#[macro_export]
macro_rules! __moving_guard {
    ($line:literal) => {
        ""
    };
}

/// Takes the kernel's lock in PendSV, when no context has the lock; r3 changes.
#[cfg(not(feature = "cortex-m7-r0p1"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __take_lock {
    () => {
        "
        movs r3, #{ceiling}                   // the priority of the kernel's lock
        msr BASEPRI, r3                       // the lock is taken
        "
    };
}

/// Takes the kernel's lock, if the mask may take effect some instructions late (erratum 837070).
/// PRIMASK is 0, or PendSV would not run.
#[cfg(feature = "cortex-m7-r0p1")]
#[doc(hidden)]
#[macro_export]
macro_rules! __take_lock {
    () => {
        "
        movs r3, #{ceiling}                   // the priority of the kernel's lock
        cpsid i                               // nothing comes until the mask has its effect,
        msr BASEPRI, r3                       // the lock is taken,
        isb                                   // and the mask has its effect from here on
        cpsie i                               // only the lock holds interrupts off now
        "
    };
}

/// PendSV's parts, by their labels:
///
/// ```text
///    0 LOOK     without the lock: is a ready thread above the limit of the running thread?
///    5 WAKE     threads were woken from any context: first make them ready, and look again
///    4 LOCK     no thread is above: look again with the lock, also at ceilings and at turns
///   11             under a ceiling, a function of the scheduler decides
///    9 STAY        nothing has changed
///    7 SWITCH      another thread runs, or idle does
///   12 SUSPEND  r4 to r11 and X go below the frame of the thread in r1
///   30             it may not have gone on since it was resumed: see `taking_back`
///   29 CONTINUE r4 to r11 and X come from the stack of the thread in r0
///   21             so do s16 to s31
///    3 RETURN   the limit or the guard moves, and the hardware unstacks the frame
///   50       the running thread is a process: see `processes`
///    8       the stub behind X; 22 is the stub with floating-point state
/// ```
///
/// Defines PendSV and SVCall for a kernel whose ceiling is the priority byte `$ceiling`, not 0. If
/// no thread ever runs under a ceiling of threads, `without ceilings` leaves the code for these
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
                $crate::__fpu!(".fpu fpv4-sp-d16"),
                $crate::__complete_frame!(),
                "0:",                             // LOOK for a more urgent thread, without the lock
                "ldr r2, 19f",                    // r2 = the queues
                "ldmdb r2, {{r0, r1, r3}}",       // r1 = running, r3 = ready
                $crate::__if_woken!(),            // threads were woken from anywhere
                "ldr r12, [r1, #{limit}]",        // r12 = the running thread's limit
                "cmp r3, r12",                    // is the most urgent above it?
                "bls 4f",                         // none above the limit: rarely anything to do
                "clz r3, r3",                     // r3 = the slot of the most urgent
                "ldr r0, [r2, r3, lsl #2]",       // r0 = the first of the most urgent
                "str r0, [r2, #-8]",              // it runs
                "1:",                             // from a thread or a process?
                $crate::__process!("mrs r12, CONTROL\n lsls r12, r12, #31"), // N = CONTROL.nPRIV
                $crate::__process!("bmi 50f"),    // a process is left
                "12:",                            // SUSPEND the thread in r1: onto its own stack
                $crate::__process_stack!(),
                "adr r12, 8f + 1",                // r12 = X: the stub at 8, in Thumb state
                "ldr r2, [r3]",                   // r2 = its r0
                $crate::__fpu!("tst lr, #0x10"),  // does it have floating-point state?
                $crate::__fpu!("bne 20f"),        // no: nothing to add
                $crate::__fpu!("vstmdb r3!, {{s16-s31}}"),        // the hardware stores the others
                $crate::__fpu!("adr r12, 22f + 1"), // r12 = X: the stub at 22 loads them
                $crate::__fpu!("20:"),
                "stmdb r3!, {{r4-r11, r12}}",     // the registers and X, below the frame
                "cmp r2, r1",                     // was r0 its control block?
                "beq 30f",                        // has it gone on since it was resumed?
                "str r3, [r1]",                   // it is suspended: where its registers are
                "29:",                            // CONTINUE with the thread in r0
                "orr r1, lr, #4",                 // return to the process stack
                "31:",                            // or with idle, by the return address in r1
                $crate::__fpu!("orr r1, #0x10"),  // return to a frame without floating point
                $crate::__count!(with_lock),
                $crate::__count!("adr r12, 8f + 1"), // r12 = 8, as the counting changes it
                $crate::__fpu!("adr r12, 8f + 1"),                // r12 = 8, as it may be 22
                "ldr r3, [r0]",                   // r3 = where r0's registers are
                $crate::__process!("ldr r2, 17f"),                // r2 = the stack of all processes
                $crate::__process!("cmp r3, r2"), // is r0 a process?
                $crate::__process!("beq __quintet_enter_process"), // yes: it has its own way in
                "ldmia r3!, {{r4-r11, lr}}",      // lr = X, where it continues
                "cmp lr, r12",                    // was it suspended by PendSV?
                "beq 3f",                         // yes: the hardware's frame is behind
                $crate::__fpu!("adr r12, 22f + 1"),               // r12 = the other stub
                $crate::__fpu!("cmp lr, r12"),    // was it, with floating-point state?
                $crate::__fpu!("beq 21f"),        // yes: its registers are behind X
                "bic lr, #1",                     // suspended by a call: where it goes on,
                "mov r12, #0x01000000",           // in Thumb state, no flags
                "strd lr, r12, [r3, #-8]",        // the end of a frame over the loaded words
                "subs r3, #32",                   // r3 = the frame: a call may change the rest
                "3:",                             // RETURN through the frame at r3
                $crate::__limit!("ldr r12, [r0, #{about}]"),      // r12 = r0's description
                $crate::__limit!("ldr r12, [r12, #{stack}]"),     // r12 = the lowest address
                $crate::__limit!("msr PSPLIM, r12"),              // the limit of its stack
                $crate::__moving_guard!("ldr r2, [r0, #{about}]"), // r2 = r0's description
                $crate::__moving_guard!("ldr r2, [r2, #{stack}]"), // r2 = the lowest address
                $crate::__moving_guard!("cbz r2, 32f"),           // idle
                $crate::__moving_guard!("movw r12, #0xed9c"),     // r12 = the unit's base address
                $crate::__moving_guard!("movt r12, #0xe000"),     // register, MPU_RBAR
                $crate::__moving_guard!("orr r2, #0x10"),         // of the region 0, valid
                $crate::__moving_guard!("str r2, [r12]"),         // the guard moves there
                $crate::__moving_guard!("32:"),
                "msr PSP, r3",                    // the hardware loads the frame from there
                "bx r1",                          // r0's thread, or idle, continues
                "5:",                             // WAKE threads, with no lock held
                "push {{r0, lr}}",                // r0 keeps the stack aligned
                "ldr r3, [r2, #{hooks}]",         // r3 = the table of optional functions
                "ldr r3, [r3]",                   // the first one wakes all
                "blx r3",                         // they are made ready
                "pop {{r0, lr}}",                 // lr = the return address
                $crate::__return_as_process_floats!(),
                "b 0b",                           // and looks again from the beginning
                "4:",                             // LOCK, and look again: no thread is above
                $crate::__take_lock!(),
                "ldrd r1, r3, [r2, #-8]",         // r1 = running, r3 = ready
                "clz r3, r3",                     // r3 = the slot of the most urgent
                "ldr r0, [r2, r3, lsl #2]",       // r0 = the first of the most urgent
                "cmp r0, r1",                     // does it run already?
                "beq 9f",                         // the same
                "ldr r12, [r1, #{limit}]",        // r12 = the running thread's limit
                "ldr r3, [r0, #{bit}]",           // r3 = the bit of the most urgent
                "cmp r3, r12",                    // is it above the limit?
                "bhi 7f",                         // it has become ready since
                "lsls r3, r12, #31",              // N = the limit's lowest bit
                "bpl 11f",                        // 0: it is under a ceiling of threads
                "ldr r3, [r1, #{bit}]",           // r3 = the running thread's bit
                "cbz r3, 7f",                     // it is suspended
                "ldr r12, [r0, #{bit}]",          // r12 = the bit of the most urgent
                "cmp r3, r12",                    // are they equally urgent?
                "beq 7f",                         // its turn is over
                "ldr r12, [r2, #-4]",             // r12 = ready
                "tst r12, r3",                    // is the running thread's priority there?
                "beq 7f",                         // it is no longer ready
                "9:",                             // STAY with the thread in r1
                "movs r3, #0",                    // no context had a mask
                "msr BASEPRI, r3",                // the lock ends
                "bx lr",                          // the same thread continues
                "11:",                            // r0 may have to wait for the end of the ceiling
                "push {{r2, lr}}",                // r2 keeps the stack aligned
                "bl {preempt_under_ceiling}",     // r0 = the thread above the ceiling
                "pop {{r2, lr}}",                 // r2 = the queues
                "ldr r1, [r2, #-8]",              // r1 = running, which the call has changed
                "cmp r0, #0",                     // is there one?
                "beq 9b",                         // no: the same thread continues
                "7:",                             // SWITCH from r1 to r0, decided under the lock
                "str r0, [r2, #-8]",              // r0 runs
                "movs r3, #0",                    // no context had a mask
                "msr BASEPRI, r3",                // the lock ends
                $crate::__process!("mrs r12, CONTROL"),           // CONTROL of the interrupted code
                $crate::__process!("lsls r12, r12, #31"),         // N = nPRIV
                $crate::__process!("bmi 50f"),    // a process is left
                "ldr r3, [r0, #{bit}]",           // r3 = r0's bit
                "cmp r3, #1",                     // is it idle's?
                "bne 12b",                        // no: as without the lock
                $crate::__process_stack!(),       // to idle
                "adr r12, 8f + 1",                // r12 = X: the stub at 8, in Thumb state
                $crate::__fpu!("tst lr, #0x10"),  // does it have floating-point state?
                $crate::__fpu!("bne 23f"),        // no: nothing to add
                $crate::__fpu!("vstmdb r3!, {{s16-s31}}"),        // the hardware stores the others
                $crate::__fpu!("adr r12, 22f + 1"), // r12 = X: the stub at 22 loads them
                $crate::__fpu!("23:"),
                "stmdb r3!, {{r4-r11, r12}}",     // the registers and X, below the frame
                "movs r2, #0",                    // 0 for idle: see taking_back
                "30:",                            // r2 = 0 to idle, else to the thread in r0
                $crate::__take_back!(),
                "bic r1, lr, #4",                 // return to the main stack
                "b 31b",                          // the rest is as for a thread
                $crate::__fpu!("21:"),            // with floating-point state
                $crate::__fpu!("vldmia r3!, {{s16-s31}}"),        // they lie behind X
                $crate::__fpu!("bic r1, #0x10"),  // return to a frame with it
                $crate::__fpu!("b 3b"),           // the rest is as without
                $crate::__leave_process!(),
                // A call lets PendSV in, and continues with idle: r1 is 0.
                ".thumb_func",
                ".global __quintet_resume_idle",
                "__quintet_resume_idle:",
                "msr BASEPRI, r1",                // PendSV may come: r1 is 0
                // A call resumes a thread that PendSV suspended: r0 points to its control block.
                ".thumb_func",
                ".global __quintet_resume",
                "__quintet_resume:",
                "8:",
                "isb",                            // PendSV comes here at the latest
                "svc 0",                          // SVCall drops its frame
                "udf #0x51",                      // never executed: see taking_back
                ".p2align 2",
                "19:",
                ".word {scheduler}+{queue}",
                $crate::__words_of_processes!(),
                $crate::__yield_of_process!(),
                "/* {about} {stack} {saved} {regions} {rights} {registers} {pend} {memory} */",
                "/* {break_address} {waiting} {notices} {count} {next} {previous} {lines} */",
                // With floating-point state: sp points to the thread's registers.
                $crate::__fpu!(".p2align 2"),
                $crate::__fpu!(".thumb_func"),
                $crate::__fpu!(".global __quintet_resume_fpu"),
                $crate::__fpu!("__quintet_resume_fpu:"),
                $crate::__fpu!("22:"),
                $crate::__fpu!("vpop {{s16-s31}}"),               // the hardware has the others
                $crate::__fpu!("isb"),            // PendSV comes here at the latest
                $crate::__fpu!("svc 0"),          // SVCall drops its frame
                $crate::__fpu!("udf #0x51"),      // never executed: see taking_back
                scheduler = sym $crate::export::threads::SCHEDULER,
                queue = const $crate::export::threads::offset::QUEUE,
                bit = const $crate::export::threads::offset::BIT,
                limit = const $crate::export::threads::offset::LIMIT,
                about = const $crate::export::threads::offset::ABOUT,
                stack = const $crate::export::threads::offset::STACK,
                hooks = const $crate::export::threads::offset::HOOKS,
                saved = const $crate::export::threads::offset::SAVED,
                regions = const $crate::export::threads::offset::SAVED + 9 * 4,
                rights = const $crate::export::threads::FLOATING_RIGHTS,
                registers = const $crate::export::threads::FLOATING_REGISTERS,
                pend = const $crate::export::threads::PENDSVSET,
                memory = const $crate::export::threads::IN_PROCESS.memory,
                break_address = const $crate::export::threads::IN_PROCESS.break_address,
                waiting = const $crate::export::threads::IN_PROCESS.waiting,
                notices = const $crate::export::threads::IN_PROCESS.notices,
                count = const $crate::export::threads::IN_PROCESS.count,
                lines = const $crate::export::threads::IN_PROCESS.lines,
                next = const $crate::export::threads::offset::NEXT,
                previous = const $crate::export::threads::offset::PREVIOUS,
                preempt_under_ceiling = sym $crate::export::threads::$preempt,
                ceiling = const $ceiling,
            )
        }

        /// Drops its own frame, and returns through the frame that the stub found.
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn SVCall() {
            ::core::arch::naked_asm!(
                $crate::__process!("mrs r0, CONTROL"),            // CONTROL of the interrupted code
                $crate::__process!("lsls r0, r0, #31"),           // N = nPRIV
                $crate::__process!("bmi __quintet_call"),         // a process has called
                $crate::__fpu!("tst lr, #0x10"),  // is its own frame a long one?
                $crate::__fpu!("beq 3f"),         // yes: with floating-point state
                "tst lr, #4",                     // was the process stack in use?
                "beq 2f",                         // no: idle's stub has called
                "mrs r0, PSP",                    // r0 = SVCall's own frame
                $crate::__begin_process!(),
                "adds r0, #32",                   // r0 = the frame behind, of eight words
                "msr PSP, r0",                    // the hardware loads that one
                "bx lr",                          // the thread continues
                "2:",
                "add sp, #32",                    // the frame behind, of eight words
                "bx lr",                          // idle continues
                // A frame with floating-point state that the hardware has not stored yet. The
                // hardware must not store it, and has to load the stored one (FPCCR.LSPACT,
                // B3.2.21).
                $crate::__fpu!("3:"),
                $crate::__fpu!("movw r1, #0xef34"),               // r1 = the address of FPCCR
                $crate::__fpu!("movt r1, #0xe000"),               // the upper half of it
                $crate::__fpu!("ldr r2, [r1]"),   // r2 = FPCCR, with LSPACT set
                $crate::__fpu!("bic r2, #1"),     // nothing is left to be stored
                $crate::__fpu!("str r2, [r1]"),   // the hardware loads all registers
                $crate::__fpu!("tst lr, #4"),     // was the process stack in use?
                $crate::__fpu!("beq 4f"),         // no: idle's stub has called
                $crate::__fpu!("mrs r0, PSP"),    // r0 = SVCall's own frame
                $crate::__fpu!("adds r0, #104"),  // r0 = the frame behind, of 26 words
                $crate::__fpu!("msr PSP, r0"),    // the hardware loads that one
                $crate::__fpu!("bx lr"),          // the thread continues
                $crate::__fpu!("4:"),
                $crate::__fpu!("add sp, #104"),   // the frame behind, of 26 words
                $crate::__fpu!("bx lr"),          // idle continues
            )
        }
    };
}
