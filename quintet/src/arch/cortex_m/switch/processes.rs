//! The parts of PendSV's and SVCall's assembly that handle processes.

/// Assembly only for applications that may have processes.
#[cfg(processes)]
#[doc(hidden)]
#[macro_export]
macro_rules! __process {
    ($line:literal) => {
        $line
    };
}

/// Assembly only for applications that may have processes.
#[cfg(not(processes))]
#[doc(hidden)]
#[macro_export]
macro_rules! __process {
    ($line:literal) => {
        ""
    };
}

/// Assembly only for applications whose processes may use floating-point registers.
#[cfg(processes_float)]
#[doc(hidden)]
#[macro_export]
macro_rules! __process_floats {
    ($line:literal) => {
        $line
    };
}

/// Assembly only for applications whose processes may use floating-point registers.
#[cfg(not(processes_float))]
#[doc(hidden)]
#[macro_export]
macro_rules! __process_floats {
    ($line:literal) => {
        ""
    };
}

/// The part of PendSV that leaves a process. PendSV has to know that a process was interrupted: the
/// registers are the process's, and the stack pointer may have any value, so nothing is stored
/// there.
///
/// At 50, PendSV leaves the process in r1, and r0 runs next. From here on only those registers have
/// values of the process that it must not find changed, and the hardware's frame has these. Between
/// two processes CONTROL stays, and the unit certainly has the regions of the wrong process.
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

/// Switches from one process to the process in r0.
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

/// Switches from one process to the process in r0, if there is more to do.
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

/// The first part of PendSV: stores the frame of the interrupted process, if it is stored lazily.
/// If this store, or one by a job, is a fault, SVCall looks at the fault before another process
/// runs.
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

/// No frame is stored lazily.
#[cfg(not(processes_float))]
#[doc(hidden)]
#[macro_export]
macro_rules! __complete_frame {
    () => {
        ""
    };
}

/// The part of PendSV after the changes of processes: an interrupted process that restarts has a
/// frame without floating-point state, even if it was interrupted with such a state.
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

/// All frames have the same form.
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

/// The part of SVCall that checks, with the stub's frame in r0, whether to enter a process: a call
/// that switched has taken the trampoline of a process. Then r0 is the process's r0 from the frame,
/// and the words that the pop has found are restored.
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

/// The words of PendSV for processes.
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
