//! Leaving one stack for another: what every call that switches ends with.
//!
//! 0xff in BASEPRI is the lowest priority of all, PendSV's.

/// From the thread whose control block is in r1 to that in r0; nothing but PendSV is held off
/// meanwhile. From the move to sp on, the new thread is complete.
#[cfg(not(fpu))]
macro_rules! switch_stacks {
    () => {
        "
        movs r3, #0xff
        msr BASEPRI, r3
        push {{r4-r11, lr}}
        str sp, [r1]
        ldr r3, [r0]
        mov sp, r3
        movs r1, #0
        msr BASEPRI, r1
        pop {{r4-r11, pc}}
        "
    };
}

/// The same, where a thread may have floating-point state.
#[cfg(fpu)]
macro_rules! switch_stacks {
    () => {
        "b __quintet_switch_floating"
    };
}

/// CONTROL.FPCA says whether the thread in r1 has floating-point state. Then its registers go below
/// the return address, and what it goes on with is a stub that fetches them. The next thread begins
/// without such a state; its stub, or the hardware's frame, gives it one.
#[cfg(fpu)]
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_switch_floating() {
    ::core::arch::naked_asm!(
        "
        .fpu fpv4-sp-d16
        movs r3, #0xff
        msr BASEPRI, r3
        mrs r3, CONTROL
        lsls r12, r3, #29
        bmi 90f
        push {{r4-r11, lr}}
        91:
        str sp, [r1]
        ldr r3, [r0]
        mov sp, r3
        movs r1, #0
        msr BASEPRI, r1
        pop {{r4-r11, pc}}
        90:
        vmrs r12, FPSCR
        push {{r12, lr}}
        vpush {{s16-s31}}
        adr lr, 92f + 1
        push {{r4-r11, lr}}
        bic r3, #4
        msr CONTROL, r3
        isb
        b 91b
        .p2align 2
        92:
        vpop {{s16-s31}}
        pop {{r3}}
        vmsr FPSCR, r3
        pop {{pc}}
        ",
    )
}

/// From the thread whose control block is in r1 to idle, in r0.
#[cfg(not(fpu))]
macro_rules! switch_stack_to_idle {
    () => {
        "
        movs r3, #0xff
        msr BASEPRI, r3
        push {{r4-r11, lr}}
        str sp, [r1]
        ldr r3, [r0]
        ldmia r3!, {{r4-r11, r12}}   // r12 = `__quintet_resume`
        movs r1, #0
        msr CONTROL, r1              // the main stack, and
        isb                          // nothing before it is (B1.4.4)
        msr PSP, r3
        msr BASEPRI, r1
        bx r12
        "
    };
}

/// The same. If idle has floating-point state, its registers lie behind the others, and the
/// hardware unstacks its frame.
#[cfg(fpu)]
macro_rules! switch_stack_to_idle {
    () => {
        "
        .fpu fpv4-sp-d16
        movs r3, #0xff
        msr BASEPRI, r3
        mrs r3, CONTROL
        lsls r12, r3, #29
        bmi 90f
        push {{r4-r11, lr}}
        91:
        str sp, [r1]
        ldr r3, [r0]
        ldmia r3!, {{r4-r11, r12}}   // r12 = `__quintet_resume`, or that for floating point
        movw r2, #:lower16:__quintet_resume_fpu
        movt r2, #:upper16:__quintet_resume_fpu
        movs r1, #0
        msr CONTROL, r1              // the main stack, no floating point, and
        isb                          // nothing before it is (B1.4.4)
        orr r2, #1
        cmp r12, r2
        bne 93f
        vldmia r3!, {{s16-s31}}
        msr PSP, r3
        msr BASEPRI, r1
        svc 0
        93:
        msr PSP, r3
        msr BASEPRI, r1
        bx r12
        90:
        vmrs r12, FPSCR
        push {{r12, lr}}
        vpush {{s16-s31}}
        adr lr, 92f + 1
        push {{r4-r11, lr}}
        b 91b
        .p2align 2
        92:
        vpop {{s16-s31}}
        pop {{r3}}
        vmsr FPSCR, r3
        pop {{pc}}
        "
    };
}

pub(super) use {switch_stack_to_idle, switch_stacks};
