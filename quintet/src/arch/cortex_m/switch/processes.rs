//! The parts of PendSV's and SVCall's assembly that handle processes.

#[cfg(processes)]
use crate::arch::process;

/// Offsets in a process, for the assembly of a yield.
#[derive(Debug)]
pub struct InProcess {
    /// Of the address of its lines.
    pub lines: usize,
    /// Of the range of its memory.
    pub memory: usize,
    /// Of the end of the memory that it uses.
    pub break_address: usize,
    /// Of what it waits for.
    pub waiting: usize,
    /// Of the notices that are due.
    pub notices: usize,
    /// Of the number of due upcalls, a byte.
    pub count: usize,
}

/// Offsets in a process.
#[cfg(processes)]
pub const IN_PROCESS: InProcess = InProcess {
    lines: process::LINES,
    memory: process::MEMORY,
    break_address: process::BREAK,
    waiting: process::WAITING,
    notices: process::NOTICES,
    count: process::COUNT,
};
/// There are no processes.
#[cfg(not(processes))]
pub const IN_PROCESS: InProcess =
    InProcess { lines: 0, memory: 0, break_address: 0, waiting: 0, notices: 0, count: 0 };

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
            .thumb_func
            .global __quintet_leave_process
            __quintet_leave_process:
            50:
            mrs r3, PSP                       // r3 = the process's stack pointer
            add r12, r1, #{saved}             // behind its control block
            stmia r12, {{r3-r11}}             // nothing goes onto its stack
            ",
            $crate::__process_floats!(
                "
                tst lr, #0x10                 // does it have floating-point state?
                bne 52f                       // no: nothing to add
                add r12, r1, #{registers}     // r12 = their place behind the control block
                vstmia r12, {{s16-s31}}       // its frame has the others
                52:
                "
            ),
            "
            ldr r3, [r0]                      // r3 = where r0's registers are
            ldr r2, 17f                       // r2 = the stack of all processes
            cmp r3, r2                        // is r0 a process as well?
            bne 51f                           // no process
            ",
            $crate::__count!("mov r1, lr\n"), // the counting changes lr
            $crate::__count!(with_lock),
            $crate::__count!("mov lr, r1\n"), // lr = the return address again
            "
            ",
            $crate::__enter_next_process!(),
            "
            51:
            movs r3, #0                       // r3 = 0: without CONTROL.nPRIV
            msr CONTROL, r3                   // threads are privileged
            adr r12, 8f + 1                   // r12 = the stub at 8, for the next part
            ldr r3, [r0, #{bit}]              // r3 = r0's bit
            cmp r3, #1                        // is it idle's?
            bne 29b                           // no: a thread, which the rest enters
            bic r1, lr, #4                    // idle: return to the main stack
            b 31b                             // the rest is as for a thread
            "
        )
    };
}

/// The part of SVCall for a process that waits until an upcall has run, if none is due: the process
/// in r2, whose frame is at r0. SVCall switches by itself, and goes on as PendSV does when PendSV
/// leaves a process. All other yields go to `__quintet_other_yield`, with r0 and r2 as they are.
///
/// The process waits, leaves its ring, and another thread runs, all in one section of the kernel's
/// lock. The place of the frame is noted before the section, as a job writes there as soon as the
/// process waits. A job that makes a thread ready behind the section pends PendSV, which comes
/// behind SVCall.
#[cfg(processes)]
#[doc(hidden)]
#[macro_export]
macro_rules! __yield_of_process {
    () => {
        ::core::concat!(
            "
            .p2align 2
            .thumb_func
            .global __quintet_yield
            __quintet_yield:
            ldr r1, [r2, #{memory}]           // r1 = the beginning of its memory
            ldr r3, [r2, #{break_address}]           // r3 = the end of what it uses
            cmp r0, r1                        // does its frame lie below?
            blo 60f                           // not in its memory
            subs r3, r0                       // r3 = the bytes from its frame to the end
            blo 60f                           // not in its memory
            ",
            $crate::__size_of_frame!(),
            "
            blo 60f                           // not whole in its memory
            ldr r1, [r0]                      // r1 = the kind of its yield
            cmp r1, #1                        // does it wait for any upcall?
            bne 60f                           // no
            ldr r1, [r2, #{notices}]          // r1 = its notices
            cbnz r1, 60f                      // one is due
            str r0, [r2, #{saved}]            // where upcalls find its frame
            ldr r12, 19b                      // r12 = the queues
            ",
            $crate::__take_lock!(),
            "
            ldrb r1, [r2, #{count}]           // r1 = the number of due upcalls
            ldr r3, [r2, #{bit}]              // r3 = its bit
            cbnz r1, 61f                      // an upcall is due
            cbz r3, 61f                       // it was suspended since it has called
            str r2, [r2, #{waiting}]          // it waits for any upcall
            ldrd r0, r1, [r2, #{next}]        // the next in its ring, and the one before
            cmp r0, r2                        // is there another one?
            beq 62f                           // it is alone
            str r0, [r1, #{next}]             // they close the ring:
            str r1, [r0, #{previous}]         // each is the other's neighbour
            strd r2, r2, [r2, #{next}]        // it is alone
            clz r3, r3                        // r3 = the slot of its priority
            ldr r1, [r12, r3, lsl #2]         // r1 = the first there
            cmp r1, r2                        // is it this one?
            it eq                             // if so,
            streq r0, [r12, r3, lsl #2]       // the next is the first
            ldr r1, [r12, #-4]                // r1 = ready, as before
            b 63f                             // others of its priority are ready
            62:
            ldr r1, [r12, #-4]                // r1 = ready
            bics r1, r3                       // its priority leaves
            str r1, [r12, #-4]                // no thread of its priority is ready
            63:
            clz r1, r1                        // r1 = the slot of the most urgent
            ldr r0, [r12, r1, lsl #2]         // r0 = the first of the most urgent, or idle
            movs r3, #0                       // no context had a mask
            str r0, [r12, #-8]                // r0 runs
            msr BASEPRI, r3                   // the lock ends
            mov r1, r2                        // r1 = the process
            b 50b                             // which is left
            61:
            movs r3, #0                       // no context had a mask
            msr BASEPRI, r3                   // the lock ends
            60:
            b __quintet_other_yield           // r0 = its frame, r2 = the process
            "
        )
    };
}

/// There are no processes.
#[cfg(not(processes))]
#[doc(hidden)]
#[macro_export]
macro_rules! __yield_of_process {
    () => {
        ""
    };
}

/// Compares the number of bytes in r3 with those of a frame of the process in r2; r1 may change.
#[cfg(all(processes, processes_float))]
#[doc(hidden)]
#[macro_export]
macro_rules! __size_of_frame {
    () => {
        "
            ldr r1, [r2, #{lines}]            // r1 = its lines, which a fault takes away
            cmp r1, #0                        // are they there?
            beq 60f                           // no: its frame couldn't be stored
            ldr r1, [r2, #{rights}]           // r1 = its additional rights
            cmp r1, #0                        // does it float?
            ite eq                            // then its frame
            moveq r1, #32                     // has eight words,
            movne r1, #104                    // or those of floating point as well
            cmp r3, r1                        // is it in its memory?
        "
    };
}

/// Compares with the size of all frames.
#[cfg(all(processes, not(processes_float)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __size_of_frame {
    () => {
        "cmp r3, #32" // is the frame whole in its memory?
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
            ldr r2, 16f                       // r2 = the word that names the unit's owner
            str r0, [r2]                      // its regions
            ",
            $crate::__load_regions!(),
            "
            add r2, r0, #{saved}              // r2 = its registers
            ldmia r2, {{r3-r11}}              // r3 = its stack pointer, then r4 to r11
            msr PSP, r3                       // its frame is there
            bx lr                             // it continues, unprivileged as the last one
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
        mov r1, lr                            // r1 = the return address
        b __quintet_enter_process             // which has more to do
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
        tst lr, #0x10                         // does the interrupted code have such a state?
        bne 0f                                // no: nothing is left to be stored
        mrs r12, CONTROL                      // CONTROL of the interrupted code
        lsls r12, r12, #31                    // N = nPRIV
        bpl 0f                                // no process: a thread's is stored later
        vmrs r12, FPSCR                       // the hardware stores the lazy part first
        mov r2, #0xe000e000                   // r2 = the system control space
        ldr r3, [r2, #0xd24]                  // r3 = SHCSR
        lsls r3, r3, #16                      // N = SVCALLPENDED: a fault was noted
        bpl 0f                                // no SVCall is pended
        mov r3, #{pend}                       // the bit of ICSR that pends PendSV
        str r3, [r2, #0xd04]                  // PendSV comes again, behind SVCall
        bx lr                                 // SVCall is next, as its number is lower
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
        mrs r12, CONTROL                      // CONTROL of the interrupted code
        lsls r12, r12, #31                    // N = nPRIV
        bpl 0b                                // no process: look again
        ldr r2, 19f                           // r2 = the queues
        ldr r2, [r2, #-8]                     // r2 = running, the interrupted process
        ldr r2, [r2, #{rights}]               // r2 = its additional rights
        orr lr, #0x10                         // it returns to a frame without such a state,
        cmp r2, #0                            // does it float?
        it ne                                 // but if it does,
        bicne lr, #0x10                       // to a frame with such a state
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
        ldr r1, [r0, #24]                     // r1 = where the SVC would return to
        adr r2, 40f + 6                       // r2 = behind the SVC of the stub at 40
        cmp r1, r2                            // was it this one?
        bne 41f                               // no: the stub of a thread
        adr r2, 40f + 1                       // r2 = X, in Thumb state
        str r2, [r0, #28]                     // the frame lies over X, which is restored
        ldr r0, [r0]                          // r0 = the process, from the frame
        mov r1, lr                            // r1 = the return address
        b __quintet_enter_process             // SVCall returns to the process
        .p2align 2
        .thumb_func
        .global __quintet_resume_process
        __quintet_resume_process:
        40:
        isb                                   // PendSV comes here at the latest
        svc 0                                 // SVCall enters the process in r0
        udf #0x51                             // never executed: see taking_back
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
