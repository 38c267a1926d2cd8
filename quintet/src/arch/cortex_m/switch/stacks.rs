//! The change from one stack to another: the end of every call that switches.
//!
//! 0xff in BASEPRI is the lowest priority of all, which is PendSV's.
//!
//! From the instruction that clears BASEPRI to the last instruction, PendSV may suspend the new
//! thread again, before the thread has continued. PendSV recognises this by the present
//! instruction, and by the instruction behind it, `udf #0x51`, which is never executed: see
//! `taking_back`.
//!
//! ARMv8-M has a limit of the process stack. The limit is off while the pointer moves from one
//! stack to the other: an interrupt in between stores on either stack. This costs a branch and four
//! instructions.
//!
//! If one guard serves all threads, it moves after the pointer: six instructions. An interrupt in
//! between may store its frame into the new stack's guard, but not below: the pointer is above the
//! guard, which is as large as the frame (without floating-point state, which is saved by then).

#[cfg(any(stack_limit, stack_guard_moves))]
use crate::core::record::offset;

/// Takes the thread in r1 out of the ready threads in r12. r0 becomes the running thread, which is
/// the most urgent first thread in the queues at `$queues`. Branches to the label 2 if others of
/// the thread's priority are ready, and to 3 if no thread is ready. Changes r3 and r12.
macro_rules! choose_next {
    ($queues:literal) => {
        concat!(
            "
            ldr r3, [r1, #{next}]
            cmp r3, r1
            bne 2f
            ldr r3, [r1, #{bit}]
            bics r12, r12, r3
            clz r3, r12
            ldr r0, [",
            $queues,
            ", r3, lsl #2]
            strd r0, r12, [",
            $queues,
            ", #-8]
            beq 3f
            "
        )
    };
}

/// Holds off PendSV in place of the kernel's lock, and pushes the registers of the thread that is
/// left.
#[cfg(not(any(fpu, feature = "statistics")))]
macro_rules! hold_and_push {
    () => {
        "
        movs r3, #0xff
        msr BASEPRI, r3
        push {{r4-r11, lr}}
        "
    };
}

/// As above, and counts the switch to the thread in r0: while the lock is held, with the registers
/// pushed.
#[cfg(all(feature = "statistics", not(fpu)))]
macro_rules! hold_and_push {
    () => {
        concat!(
            "
            push {{r4-r11, lr}}
            ",
            crate::arch::switch::stacks::hold_pushed!()
        )
    };
}

/// Holds off PendSV, if the registers are pushed already.
#[cfg(not(fpu))]
macro_rules! hold_pushed {
    () => {
        concat!(
            crate::__count!(),
            "
            movs r3, #0xff
            msr BASEPRI, r3
            "
        )
    };
}

/// Switches from the thread whose control block is in r1 to that in r0; only PendSV is held off
/// meanwhile. From the load of sp on, the new thread is complete.
#[cfg(not(any(fpu, stack_limit, stack_guard_moves)))]
macro_rules! switch_stacks {
    () => {
        concat!(
            crate::arch::switch::stacks::hold_and_push!(),
            "
            str sp, [r1]
            ldr sp, [r0]
            movs r1, #0
            msr BASEPRI, r1
            pop {{r4-r11, pc}}
            udf #0x51
            "
        )
    };
}

/// The same, with a limit of the stack, or a guard that moves.
#[cfg(all(any(stack_limit, stack_guard_moves), not(fpu)))]
macro_rules! switch_stacks {
    () => {
        "b __quintet_switch_bounded"
    };
}

/// Switches stacks, if a thread may have floating-point state.
#[cfg(fpu)]
macro_rules! switch_stacks {
    () => {
        "b __quintet_switch_floating"
    };
}

/// Switches stacks, if one of r2 and r3 is 0; the other may change.
#[cfg(not(any(fpu, stack_limit, stack_guard_moves, feature = "statistics")))]
macro_rules! switch_unlocked_by {
    (r2) => {
        crate::arch::switch::stacks::switch_unlocked_by!("r2", "r3")
    };
    (r3) => {
        crate::arch::switch::stacks::switch_unlocked_by!("r3", "r2")
    };
    ($zero:literal, $other:literal) => {
        concat!(
            "movs ",
            $other,
            ", #0xff
        msr BASEPRI, ",
            $other,
            "
        push {{r4-r11, lr}}
        str sp, [r1]
        ldr sp, [r0]
        msr BASEPRI, ",
            $zero,
            "
        pop {{r4-r11, pc}}
        udf #0x51
        "
        )
    };
}

/// Switches stacks; loads the 0 again.
#[cfg(any(fpu, stack_limit, stack_guard_moves, feature = "statistics"))]
macro_rules! switch_unlocked_by {
    ($zero:ident) => {
        crate::arch::switch::stacks::switch_stacks!()
    };
}

/// Switches stacks, if the registers of the thread in r1 are on its stack already, with the address
/// to continue at.
#[cfg(not(any(fpu, stack_limit, stack_guard_moves)))]
macro_rules! switch_pushed {
    () => {
        concat!(
            crate::arch::switch::stacks::hold_pushed!(),
            "
            str sp, [r1]
            ldr sp, [r0]
            movs r1, #0
            msr BASEPRI, r1
            pop {{r4-r11, pc}}
            udf #0x51
            "
        )
    };
}

/// Switches stacks with pushed registers, and with a limit of the stack, or a guard that moves.
#[cfg(all(any(stack_limit, stack_guard_moves), not(fpu)))]
macro_rules! switch_pushed {
    () => {
        "b __quintet_switch_pushed"
    };
}

#[cfg(all(any(stack_limit, stack_guard_moves), not(fpu)))]
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_switch_bounded() {
    ::core::arch::naked_asm!(
        crate::arch::switch::stacks::hold_and_push!(),
        "
        1:
        str sp, [r1]
        movs r1, #0
        ",
        enter_stack!(),
        "
        msr BASEPRI, r1
        pop {{r4-r11, pc}}
        udf #0x51
        .thumb_func
        .global __quintet_switch_pushed
        __quintet_switch_pushed:
        ",
        crate::arch::switch::stacks::hold_pushed!(),
        "
        b 1b
        ",
        about = const offset::ABOUT,
        stack = const offset::STACK,
    )
}

/// Switches stacks; pushes the registers again, as floating-point registers may have to be beside
/// them.
#[cfg(fpu)]
macro_rules! switch_pushed {
    () => {
        "
        pop {{r4-r11, lr}}
        b __quintet_switch_floating
        "
    };
}

/// Saves the state of a thread whose floating-point registers are in use, after a test of
/// CONTROL.FPCA at the label 90. The registers go below the return address, and the thread will
/// continue at a stub that loads them. `$more` comes between the two parts, which then branch back
/// to the label 91.
#[cfg(fpu)]
macro_rules! floating_state {
    ($more:literal) => {
        concat!(
            "
            90:
            vmrs r12, FPSCR
            push {{r12, lr}}
            vpush {{s16-s31}}
            adr lr, 92f + 1
            push {{r4-r11, lr}}
            ",
            $more,
            "
            b 91b
            .p2align 2
            92:
            vpop {{s16-s31}}
            pop {{r3}}
            vmsr FPSCR, r3
            pop {{pc}}
            "
        )
    };
}

/// Switches stacks. CONTROL.FPCA shows whether the thread in r1 has floating-point state. The next
/// thread begins without such a state; its stub, or the hardware's frame, restores its state.
#[cfg(fpu)]
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __quintet_switch_floating() {
    ::core::arch::naked_asm!(
        ".fpu fpv4-sp-d16",
        crate::__count!(kept),
        "
        movs r3, #0xff
        msr BASEPRI, r3
        mrs r3, CONTROL
        lsls r12, r3, #29
        bmi 90f
        push {{r4-r11, lr}}
        91:
        str sp, [r1]
        movs r1, #0
        ",
        enter_stack!(),
        "
        msr BASEPRI, r1
        pop {{r4-r11, pc}}
        udf #0x51
        ",
        floating_state!(
            "
            bic r3, #4
            msr CONTROL, r3
            isb
            "
        ),
        #[cfg(any(stack_limit, stack_guard_moves))]
        about = const offset::ABOUT,
        #[cfg(any(stack_limit, stack_guard_moves))]
        stack = const offset::STACK,
    )
}

/// Lets the stack of the thread in r0 be in use. r1 is 0; r2, r3 and r12 change if there is more to
/// do. `about` and `stack` are offsets.
#[cfg(not(any(stack_limit, stack_guard_moves)))]
macro_rules! enter_stack {
    () => {
        "ldr sp, [r0]\n"
    };
}

/// Enters a stack with a limit.
#[cfg(stack_limit)]
macro_rules! enter_stack {
    () => {
        "
        ldr r3, [r0]
        ldr r2, [r0, #{about}]
        ldr r2, [r2, #{stack}]
        msr PSPLIM, r1
        mov sp, r3
        msr PSPLIM, r2
        "
    };
}

/// Enters a stack with a guard that moves: to the region 0, whose number is valid.
#[cfg(stack_guard_moves)]
macro_rules! enter_stack {
    () => {
        "
        ldr r2, [r0, #{about}]
        movw r12, #0xed9c
        movt r12, #0xe000
        ldr r2, [r2, #{stack}]
        orr r2, #0x10
        ldr sp, [r0]
        str r2, [r12]
        "
    };
}

/// Takes the limit of the stack away, if there is one: r1 is 0.
#[cfg(stack_limit)]
macro_rules! no_limit {
    () => {
        "msr PSPLIM, r1\n"
    };
}

/// There is no limit.
#[cfg(not(stack_limit))]
macro_rules! no_limit {
    () => {
        ""
    };
}

/// Continues with idle in r0, whose registers r3 points to. At least PendSV is held off. The
/// hardware unstacks idle's frame.
#[cfg(not(fpu))]
macro_rules! enter_idle {
    () => {
        concat!(
            "
        ldmia r3!, {{r4-r11, r12}}
        movs r1, #0
        msr CONTROL, r1              // the main stack, and
        isb                          // nothing before it is (B1.4.4)
        ",
            crate::arch::switch::stacks::no_limit!(),
            "
        msr PSP, r3
        b __quintet_resume_idle
        "
        )
    };
}

/// Continues with idle. If idle has floating-point state, its registers lie behind the others.
#[cfg(fpu)]
macro_rules! enter_idle {
    () => {
        concat!(
            "
        ldmia r3!, {{r4-r11, r12}}   // r12 = the stub
        movw r2, #:lower16:__quintet_resume_fpu
        movt r2, #:upper16:__quintet_resume_fpu
        movs r1, #0
        msr CONTROL, r1              // the main stack, no floating point, and
        isb                          // nothing before it is (B1.4.4)
        ",
            crate::arch::switch::stacks::no_limit!(),
            "
        orr r2, #1
        cmp r12, r2
        bne 93f
        vldmia r3!, {{s16-s31}}
        93:
        msr PSP, r3
        b __quintet_resume_idle
        "
        )
    };
}

/// Switches from the thread whose control block is in r1 to idle, in r0.
#[cfg(not(fpu))]
macro_rules! switch_stack_to_idle {
    () => {
        concat!(
            crate::arch::switch::stacks::hold_and_push!(),
            "
            str sp, [r1]
            ldr r3, [r0]
            ",
            enter_idle!()
        )
    };
}

/// Switches to idle, if the thread may have floating-point state.
#[cfg(fpu)]
macro_rules! switch_stack_to_idle {
    () => {
        concat!(
            ".fpu fpv4-sp-d16\n",
            crate::__count!(kept),
            "
            movs r3, #0xff
            msr BASEPRI, r3
            mrs r3, CONTROL
            lsls r12, r3, #29
            bmi 90f
            push {{r4-r11, lr}}
            91:
            str sp, [r1]
            ldr r3, [r0]
            ",
            enter_idle!(),
            floating_state!("")
        )
    };
}

#[cfg(fpu)]
pub(super) use floating_state;
pub(super) use {
    choose_next, enter_idle, enter_stack, no_limit, switch_pushed, switch_stack_to_idle,
    switch_stacks, switch_unlocked_by,
};
#[cfg(not(fpu))]
pub(super) use {hold_and_push, hold_pushed};
