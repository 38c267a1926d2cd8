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
        cmp r0, #0
        bne 5f
        "
    };
}

/// Branches to the label 5 if r0 isn't 0.
#[cfg(not(any(fpu, all(processes, any(stack_limit, stack_guard_moves, feature = "statistics")))))]
#[doc(hidden)]
#[macro_export]
macro_rules! __if_woken {
    () => {
        "cbnz r0, 5f"
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
            mrs r3, PSP
            mrs r12, PSPLIM
            add r12, #36
            ",
            $crate::__fpu!(
                "
                tst lr, #0x10
                it eq
                addeq r12, #64
                "
            ),
            "
            cmp r3, r12
            blo __quintet_stack_overflowed
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
        "mrs r3, PSP"
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
        movs r3, #{ceiling}
        msr BASEPRI, r3
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
        movs r3, #{ceiling}
        cpsid i
        msr BASEPRI, r3
        isb
        cpsie i
        "
    };
}

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
                "0:",
                "ldr r2, 19f",
                "ldmdb r2, {{r0, r1, r3}}",       // r1 = running, r3 = ready
                $crate::__if_woken!(),            // threads were woken from anywhere
                "ldr r12, [r1, #{limit}]",
                "cmp r3, r12",
                "bls 4f",                         // none above the limit: rarely anything to do
                "clz r3, r3",
                "ldr r0, [r2, r3, lsl #2]",       // r0 = the first of the most urgent
                "str r0, [r2, #-8]",              // it runs
                "1:",
                $crate::__process!("mrs r12, CONTROL\n lsls r12, r12, #31"),
                $crate::__process!("bmi 50f"),                // a process is left
                "12:",
                $crate::__process_stack!(),
                "adr r12, 8f + 1",
                "ldr r2, [r3]",                   // r2 = its r0
                $crate::__fpu!("tst lr, #0x10"),
                $crate::__fpu!("bne 20f"),
                $crate::__fpu!("vstmdb r3!, {{s16-s31}}"),
                $crate::__fpu!("adr r12, 22f + 1"),
                $crate::__fpu!("20:"),
                "stmdb r3!, {{r4-r11, r12}}",
                "cmp r2, r1",
                "beq 30f",                        // has it gone on since it was resumed?
                "str r3, [r1]",
                "29:",
                "orr r1, lr, #4",                 // return to the process stack
                "31:",
                $crate::__fpu!("orr r1, #0x10"),
                $crate::__count!(with_lock),
                $crate::__count!("adr r12, 8f + 1"),
                $crate::__fpu!("adr r12, 8f + 1"),
                "ldr r3, [r0]",
                $crate::__process!("ldr r2, 17f"),
                $crate::__process!("cmp r3, r2"),
                $crate::__process!("beq __quintet_enter_process"),
                "ldmia r3!, {{r4-r11, lr}}",
                "cmp lr, r12",
                "beq 3f",
                $crate::__fpu!("adr r12, 22f + 1"),
                $crate::__fpu!("cmp lr, r12"),
                $crate::__fpu!("beq 21f"),
                "bic lr, #1",                     // suspended by a call: where it goes on,
                "mov r12, #0x01000000",           // in Thumb state, no flags
                "strd lr, r12, [r3, #-8]",        // the end of a frame over the loaded words
                "subs r3, #32",
                "3:",
                $crate::__limit!("ldr r12, [r0, #{about}]"),
                $crate::__limit!("ldr r12, [r12, #{stack}]"),
                $crate::__limit!("msr PSPLIM, r12"),
                $crate::__moving_guard!("ldr r2, [r0, #{about}]"),
                $crate::__moving_guard!("ldr r2, [r2, #{stack}]"),
                $crate::__moving_guard!("cbz r2, 32f"),       // idle
                $crate::__moving_guard!("movw r12, #0xed9c"),
                $crate::__moving_guard!("movt r12, #0xe000"),
                $crate::__moving_guard!("orr r2, #0x10"),
                $crate::__moving_guard!("str r2, [r12]"),
                $crate::__moving_guard!("32:"),
                "msr PSP, r3",
                "bx r1",
                "5:",
                "push {{r0, lr}}",
                "ldr r3, [r2, #{hooks}]",
                "ldr r3, [r3]",
                "blx r3",                         // they are made ready
                "pop {{r0, lr}}",
                $crate::__return_as_process_floats!(),
                "b 0b",
                "4:",                             // not upwards: the same again, with the lock
                $crate::__take_lock!(),
                "ldrd r1, r3, [r2, #-8]",
                "clz r3, r3",
                "ldr r0, [r2, r3, lsl #2]",
                "cmp r0, r1",
                "beq 9f",                         // the same
                "ldr r12, [r1, #{limit}]",
                "ldr r3, [r0, #{bit}]",
                "cmp r3, r12",
                "bhi 7f",                         // it has become ready since
                "lsls r3, r12, #31",
                "bpl 11f",                        // under a ceiling of threads
                "ldr r3, [r1, #{bit}]",
                "cbz r3, 7f",                     // it is suspended
                "ldr r12, [r0, #{bit}]",
                "cmp r3, r12",
                "beq 7f",                         // its turn is over
                "ldr r12, [r2, #-4]",
                "tst r12, r3",
                "beq 7f",                         // it is no longer ready
                "9:",
                "movs r3, #0",
                "msr BASEPRI, r3",
                "bx lr",
                "11:",
                "push {{r2, lr}}",
                "bl {preempt_under_ceiling}",     // r0 = the thread above the ceiling
                "pop {{r2, lr}}",
                "ldr r1, [r2, #-8]",
                "cmp r0, #0",
                "beq 9b",
                "7:",
                "str r0, [r2, #-8]",
                "movs r3, #0",
                "msr BASEPRI, r3",
                $crate::__process!("mrs r12, CONTROL"),
                $crate::__process!("lsls r12, r12, #31"),
                $crate::__process!("bmi 50f"),
                "ldr r3, [r0, #{bit}]",
                "cmp r3, #1",
                "bne 12b",
                $crate::__process_stack!(),       // to idle
                "adr r12, 8f + 1",
                $crate::__fpu!("tst lr, #0x10"),
                $crate::__fpu!("bne 23f"),
                $crate::__fpu!("vstmdb r3!, {{s16-s31}}"),
                $crate::__fpu!("adr r12, 22f + 1"),
                $crate::__fpu!("23:"),
                "stmdb r3!, {{r4-r11, r12}}",
                "movs r2, #0",
                "30:",
                $crate::__take_back!(),
                "bic r1, lr, #4",                 // return to the main stack
                "b 31b",
                $crate::__fpu!("21:"),            // with floating-point state
                $crate::__fpu!("vldmia r3!, {{s16-s31}}"),
                $crate::__fpu!("bic r1, #0x10"),
                $crate::__fpu!("b 3b"),
                $crate::__leave_process!(),
                // A call lets PendSV in, and continues with idle: r1 is 0.
                ".thumb_func",
                ".global __quintet_resume_idle",
                "__quintet_resume_idle:",
                "msr BASEPRI, r1",
                // A call resumes a thread that PendSV suspended: r0 points to its control block.
                ".thumb_func",
                ".global __quintet_resume",
                "__quintet_resume:",
                "8:",
                "isb",
                "svc 0",
                "udf #0x51",
                ".p2align 2",
                "19:",
                ".word {scheduler}+{queue}",
                $crate::__words_of_processes!(),
                "/* {about} {stack} {saved} {regions} {rights} {registers} {pend} */",
                // With floating-point state: sp points to the thread's registers.
                $crate::__fpu!(".p2align 2"),
                $crate::__fpu!(".thumb_func"),
                $crate::__fpu!(".global __quintet_resume_fpu"),
                $crate::__fpu!("__quintet_resume_fpu:"),
                $crate::__fpu!("22:"),
                $crate::__fpu!("vpop {{s16-s31}}"),
                $crate::__fpu!("isb"),
                $crate::__fpu!("svc 0"),
                $crate::__fpu!("udf #0x51"),
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
                $crate::__process!("mrs r0, CONTROL"),
                $crate::__process!("lsls r0, r0, #31"),
                $crate::__process!("bmi __quintet_call"),
                $crate::__fpu!("tst lr, #0x10"),
                $crate::__fpu!("beq 3f"),
                "tst lr, #4",
                "beq 2f",
                "mrs r0, PSP",
                $crate::__begin_process!(),
                "adds r0, #32",
                "msr PSP, r0",
                "bx lr",
                "2:",
                "add sp, #32",
                "bx lr",
                // A frame with floating-point state that the hardware has not stored yet. The
                // hardware must not store it, and has to load the stored one (FPCCR.LSPACT,
                // B3.2.21).
                $crate::__fpu!("3:"),
                $crate::__fpu!("movw r1, #0xef34"),
                $crate::__fpu!("movt r1, #0xe000"),
                $crate::__fpu!("ldr r2, [r1]"),
                $crate::__fpu!("bic r2, #1"),
                $crate::__fpu!("str r2, [r1]"),
                $crate::__fpu!("tst lr, #4"),
                $crate::__fpu!("beq 4f"),
                $crate::__fpu!("mrs r0, PSP"),
                $crate::__fpu!("adds r0, #104"),
                $crate::__fpu!("msr PSP, r0"),
                $crate::__fpu!("bx lr"),
                $crate::__fpu!("4:"),
                $crate::__fpu!("add sp, #104"),
                $crate::__fpu!("bx lr"),
            )
        }
    };
}
