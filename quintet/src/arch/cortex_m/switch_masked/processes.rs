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

/// The part of PendSV that leaves the process in r1, by the return address in lr: nothing goes onto
/// its stack, whose pointer may have any value. Then the thread in r0 continues, as always.
#[cfg(processes)]
#[doc(hidden)]
#[macro_export]
macro_rules! __leave_process {
    () => {
        "
        .thumb_func
        .global __quintet_leave_process
        __quintet_leave_process:
        50:
        mrs r3, PSP                           // r3 = the process's stack pointer
        mov r2, r1                            // r2 = the process
        adds r2, #{saved}                     // behind its control block
        stmia r2!, {{r3-r7}}                  // first its stack pointer, and the lower registers,
        mov r4, r8                            // then the upper ones, which
        mov r5, r9                            // can't be
        mov r6, r10                           // stored from
        mov r7, r11                           // where they are
        stmia r2!, {{r4-r7}}                  // behind
        movs r3, #0                           // r3 = 0: without CONTROL.nPRIV
        msr CONTROL, r3                       // threads are privileged
        ldr r2, 16f                           // r2 = the stub
        b 29b                                 // the rest is as for a thread
        51:
        ldr r2, 15f                           // a branch that reaches the whole memory:
        mov r1, lr                            // r1 = the return address
        bx r2                                 // to the way into a process
        "
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

/// The part of PendSV that looks at a fault of the process that it has interrupted, and the words
/// for processes.
#[cfg(processes)]
#[doc(hidden)]
#[macro_export]
macro_rules! __look_at_fault {
    () => {
        "
        52:
        push {{r0, lr}}                       // r0 keeps the stack aligned
        bl __quintet_look_after_fault         // its policy decides
        pop {{r0, r1}}                        // r1 = the return address
        mov lr, r1                            // as it was
        b 0b                                  // and looks again from the beginning
        .p2align 2
        15:
        .word __quintet_enter_process
        18:
        .word __quintet_trampoline
        "
    };
}

/// There are no processes.
#[cfg(not(processes))]
#[doc(hidden)]
#[macro_export]
macro_rules! __look_at_fault {
    () => {
        ""
    };
}

/// The part of `__take_over` for the process in r1, at its stub: PendSV's frame lies over the word
/// by which a call resumes a process. The process is as it was.
#[cfg(processes)]
#[doc(hidden)]
#[macro_export]
macro_rules! __take_over_process {
    () => {
        "
        ldr r0, [r1]                          // r0 = where r1's registers are
        ldr r2, 53f                           // r2 = the stack of all processes
        cmp r0, r2                            // is r1 a process?
        bne 54f                               // a thread
        ldr r0, 55f                           // r0 = X, the stub of a process
        str r0, [r2, #32]                     // is there again
        b 34b                                 // and nothing else is noted
        .p2align 2
        53:
        .word __quintet_trampoline
        55:
        .word __quintet_resume_process
        54:
        "
    };
}

/// There are no processes.
#[cfg(not(processes))]
#[doc(hidden)]
#[macro_export]
macro_rules! __take_over_process {
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
        ldr r2, 6f                            // r2 = X, in Thumb state
        subs r3, r1, r2                       // how far behind that?
        cmp r3, #5                            // behind its SVC: was it this one?
        bne 41f                               // no: the stub of a thread
        str r2, [r0, #28]                     // the frame lies over X, which is restored
        ldr r0, [r0]                          // r0 = the process, from the frame
        mov r1, lr                            // r1 = the return address
        ldr r2, 5f                            // a branch that reaches the whole memory
        bx r2                                 // SVCall returns to the process
        .thumb_func
        .global __quintet_resume_process
        __quintet_resume_process:
        isb                                   // PendSV comes here at the latest
        svc 0                                 // SVCall enters the process in r0
        udf #0x51                             // never executed
        .p2align 2
        4:
        .word __quintet_call
        5:
        .word __quintet_enter_process
        6:
        .word __quintet_resume_process
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
