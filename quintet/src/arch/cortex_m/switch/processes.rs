//! What PendSV and SVCall do with processes, as parts of their assembly.

/// Assembly for applications that may have processes only.
#[cfg(processes)]
#[doc(hidden)]
#[macro_export]
macro_rules! __process {
    ($line:literal) => {
        $line
    };
}

/// Assembly for applications that may have processes only.
#[cfg(not(processes))]
#[doc(hidden)]
#[macro_export]
macro_rules! __process {
    ($line:literal) => {
        ""
    };
}

/// Assembly for applications whose processes may use floating-point registers only.
#[cfg(processes_float)]
#[doc(hidden)]
#[macro_export]
macro_rules! __process_floats {
    ($line:literal) => {
        $line
    };
}

/// Assembly for applications whose processes may use floating-point registers only.
#[cfg(not(processes_float))]
#[doc(hidden)]
#[macro_export]
macro_rules! __process_floats {
    ($line:literal) => {
        ""
    };
}

/// What PendSV does with processes, which it has to know: registers are theirs, and the stack
/// pointer is what they made of it, so nothing is stored there.
///
/// At 50, r1 is left, a process, and r0 runs next. From here on nothing of the process is in
/// registers but those that it has no right to find changed, which the hardware's frame has.
/// Between two processes CONTROL stays, and the regions are another one's for sure.
#[cfg(processes)]
#[doc(hidden)]
#[macro_export]
macro_rules! __leave_process {
    () => {
        ::core::concat!(
            "
            50:
            mrs r3, PSP
            add r12, r1, #{saved}         // behind its control block
            stmia r12, {{r3-r11}}
            ",
            $crate::__process_floats!(
                "
                tst lr, #0x10
                bne 52f
                add r12, r1, #{registers}
                vstmia r12, {{s16-s31}}
                52:
                "
            ),
            "
            ldr r3, [r0]
            ldr r2, 17f
            cmp r3, r2
            bne 51f                       // no process
            ",
            $crate::__count!("mov r1, lr\n"),
            $crate::__count!(with_lock),
            $crate::__count!("mov lr, r1\n"),
            "
            ",
            $crate::__enter_next_process!(),
            "
            51:
            movs r3, #0
            msr CONTROL, r3               // threads are privileged
            adr r12, 8f + 1
            ldr r3, [r0, #{bit}]
            cmp r3, #1
            bne 29b
            bic r1, lr, #4                // idle: return to the main stack
            b 31b
            "
        )
    };
}

/// From one process to that in r0.
#[cfg(all(processes, not(any(processes_float, region_bounds))))]
#[doc(hidden)]
#[macro_export]
macro_rules! __enter_next_process {
    () => {
        ::core::concat!(
            "
            ldr r2, 16f
            str r0, [r2]                  // its regions
            ",
            $crate::__load_regions!(),
            "
            add r2, r0, #{saved}
            ldmia r2, {{r3-r11}}
            msr PSP, r3
            bx lr
            "
        )
    };
}

/// The same where there is more to do.
#[cfg(all(processes, any(processes_float, region_bounds)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __enter_next_process {
    () => {
        "
        mov r1, lr
        b __quintet_enter_process
        "
    };
}

/// PendSV, before all else: the frame of the process that it has interrupted is stored, if that was
/// put off. A fault that this was, or a job has made of it, is SVCall's to look at, before another
/// process runs.
#[cfg(processes_float)]
#[doc(hidden)]
#[macro_export]
macro_rules! __complete_frame {
    () => {
        "
        tst lr, #0x10
        bne 0f
        mrs r12, CONTROL
        lsls r12, r12, #31
        bpl 0f
        vmrs r12, FPSCR
        mov r2, #0xe000e000
        ldr r3, [r2, #0xd24]
        lsls r3, r3, #16
        bpl 0f                        // no SVCall is pended
        mov r3, #{pend}
        str r3, [r2, #0xd04]
        bx lr
        "
    };
}

/// Nothing is put off.
#[cfg(not(processes_float))]
#[doc(hidden)]
#[macro_export]
macro_rules! __complete_frame {
    () => {
        ""
    };
}

/// PendSV, behind the changes of processes: one that was interrupted and starts anew has a frame
/// without floating-point state, whatever it was interrupted with.
#[cfg(processes_float)]
#[doc(hidden)]
#[macro_export]
macro_rules! __return_as_process_floats {
    () => {
        "
        mrs r12, CONTROL
        lsls r12, r12, #31
        bpl 0b
        ldr r2, 19f
        ldr r2, [r2, #-8]
        ldr r2, [r2, #{rights}]
        orr lr, #0x10
        cmp r2, #0
        it ne
        bicne lr, #0x10
        "
    };
}

/// All frames are alike.
#[cfg(not(processes_float))]
#[doc(hidden)]
#[macro_export]
macro_rules! __return_as_process_floats {
    () => {
        ""
    };
}

/// There are no processes.
#[cfg(not(processes))]
#[doc(hidden)]
#[macro_export]
macro_rules! __leave_process {
    () => {
        ""
    };
}

/// In SVCall, with the frame of the stub in r0: whether a process is to be entered, for which a
/// call that switched has taken it. Then r0 is its own in the frame, and what the pop found is put
/// back.
#[cfg(processes)]
#[doc(hidden)]
#[macro_export]
macro_rules! __begin_process {
    () => {
        "
        ldr r1, [r0, #24]
        adr r2, 40f + 6
        cmp r1, r2
        bne 41f
        adr r2, 40f + 1
        str r2, [r0, #28]
        ldr r0, [r0]
        mov r1, lr
        b __quintet_enter_process
        .p2align 2
        .thumb_func
        .global __quintet_resume_process
        __quintet_resume_process:
        40:
        isb
        svc 0
        udf #0x51
        41:
        "
    };
}

/// There are no processes.
#[cfg(not(processes))]
#[doc(hidden)]
#[macro_export]
macro_rules! __begin_process {
    () => {
        ""
    };
}

/// The words of PendSV that processes need.
#[cfg(processes)]
#[doc(hidden)]
#[macro_export]
macro_rules! __words_of_processes {
    () => {
        "
        18:
        .word __quintet_resume_process
        17:
        .word __quintet_trampoline
        16:
        .word __quintet_owner_of_regions
        "
    };
}

/// There are no processes.
#[cfg(not(processes))]
#[doc(hidden)]
#[macro_export]
macro_rules! __words_of_processes {
    () => {
        ""
    };
}
