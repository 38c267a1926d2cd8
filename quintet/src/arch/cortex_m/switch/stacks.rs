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
            ldr r3, [r1, #{next}]             // r3 = the next in its ring
            cmp r3, r1                        // is it alone there?
            bne 2f                            // no: others of its priority are ready
            ldr r3, [r1, #{bit}]              // r3 = its bit
            ",
            crate::arch::switch::stacks::choose_without!($queues, "r3", "r12")
        )
    };
}

/// As above, for a thread that is alone in its ring. Changes `$other` and `$ready`, which needs not
/// be loaded.
macro_rules! choose_from {
    ($queues:literal, $other:literal, $ready:literal) => {
        concat!(
            "ldr ", // the ready threads
            $ready,
            ", [",
            $queues,
            ", #-4]\nldr ", // the thread's bit
            $other,
            ", [r1, #{bit}]\n",
            crate::arch::switch::stacks::choose_without!($queues, $other, $ready)
        )
    };
}

/// As above, with the ready threads in `$ready`, and the thread's bit in `$other`. Two stores take
/// a cycle each, and one of two words takes three.
macro_rules! choose_without {
    ($queues:literal, $other:literal, $ready:literal) => {
        concat!(
            "bics ", // ready, without the thread
            $ready,
            ", ",
            $other,
            "\nclz ", // the slot of the most urgent
            $other,
            ", ",
            $ready,
            "\nldr r0, [", // r0 = the first of the most urgent
            $queues,
            ", ",
            $other,
            ", lsl #2]\nstr ", // those are ready,
            $ready,
            ", [",
            $queues,
            ", #-4]\nstr r0, [", // and it runs
            $queues,
            ", #-8]\nbeq 3f\n" // no thread is ready: idle
        )
    };
}

/// Holds off PendSV in place of the kernel's lock, and pushes the registers of the thread that is
/// left.
#[cfg(not(any(fpu, feature = "statistics")))]
macro_rules! hold_and_push {
    () => {
        "
        movs r3, #0xff                        // the lowest priority, PendSV's
        msr BASEPRI, r3                       // only PendSV is held off from here on
        push {{r4-r11, lr}}                   // the registers, and X = the return address
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
            push {{r4-r11, lr}}               // the registers, and X = the return address
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
            movs r3, #0xff                    // the lowest priority, PendSV's
            msr BASEPRI, r3                   // only PendSV is held off from here on
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
            str sp, [r1]                      // r1 is suspended: where its registers are
            ldr sp, [r0]                      // the new stack is in use
            movs r1, #0                       // no mask
            msr BASEPRI, r1                   // PendSV may come
            pop {{r4-r11, pc}}                // r0's thread continues at X
            udf #0x51                         // never executed: see taking_back
            "
        )
    };
}

/// The same, with a limit of the stack, or a guard that moves.
#[cfg(all(any(stack_limit, stack_guard_moves), not(fpu)))]
macro_rules! switch_stacks {
    () => {
        "b __quintet_switch_bounded" // one copy for all, as it is longer
    };
}

/// Switches stacks, if a thread may have floating-point state.
#[cfg(fpu)]
macro_rules! switch_stacks {
    () => {
        "b __quintet_switch_floating" // one copy for all, as it is longer
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
            "movs ", // the lowest priority, PendSV's
            $other,
            ", #0xff
        msr BASEPRI, ", // only PendSV is held off from here on
            $other,
            "
        push {{r4-r11, lr}}                   // the registers, and X = the return address
        str sp, [r1]                          // r1 is suspended: where its registers are
        ldr sp, [r0]                          // the new stack is in use
        msr BASEPRI, ", // no mask: PendSV may come
            $zero,
            "
        pop {{r4-r11, pc}}                    // r0's thread continues at X
        udf #0x51                             // never executed: see taking_back
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
            str sp, [r1]                      // r1 is suspended: where its registers are
            ldr sp, [r0]                      // the new stack is in use
            movs r1, #0                       // no mask
            msr BASEPRI, r1                   // PendSV may come
            pop {{r4-r11, pc}}                // r0's thread continues at X
            udf #0x51                         // never executed: see taking_back
            "
        )
    };
}

/// Switches stacks with pushed registers, and with a limit of the stack, or a guard that moves.
#[cfg(all(any(stack_limit, stack_guard_moves), not(fpu)))]
macro_rules! switch_pushed {
    () => {
        "b __quintet_switch_pushed" // one copy for all, as it is longer
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
        str sp, [r1]                          // r1 is suspended: where its registers are
        movs r1, #0                           // no limit, and no mask
        ",
        enter_stack!(),
        "
        msr BASEPRI, r1                       // PendSV may come
        pop {{r4-r11, pc}}                    // r0's thread continues at X
        udf #0x51                             // never executed: see taking_back
        .thumb_func
        .global __quintet_switch_pushed
        __quintet_switch_pushed:
        ",
        crate::arch::switch::stacks::hold_pushed!(),
        "
        b 1b                                  // the rest is the same
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
        pop {{r4-r11, lr}}                    // as before the push
        b __quintet_switch_floating           // one copy for all, as it is longer
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
            vmrs r12, FPSCR                   // r12 = the status of floating point
            push {{r12, lr}}                  // and the return address of the call
            vpush {{s16-s31}}                 // the registers that a call keeps
            adr lr, 92f + 1                   // X = the stub at 92, in Thumb state
            push {{r4-r11, lr}}               // the registers and X, as always
            ",
            $more,
            "
            b 91b                             // suspend it
            .p2align 2
            92:
            vpop {{s16-s31}}                  // the stub: sp points behind X
            pop {{r3}}                        // r3 = the status of floating point
            vmsr FPSCR, r3                    // which is restored
            pop {{pc}}                        // the thread continues after its call
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
        movs r3, #0xff                        // the lowest priority, PendSV's
        msr BASEPRI, r3                       // only PendSV is held off from here on
        mrs r3, CONTROL                       // r3 = CONTROL, for 90 as well
        lsls r12, r3, #29                     // N = CONTROL.FPCA
        bmi 90f                               // it has floating-point state
        push {{r4-r11, lr}}                   // the registers, and X = the return address
        91:
        str sp, [r1]                          // r1 is suspended: where its registers are
        movs r1, #0                           // no limit, and no mask
        ",
        enter_stack!(),
        "
        msr BASEPRI, r1                       // PendSV may come
        pop {{r4-r11, pc}}                    // r0's thread continues at X
        udf #0x51                             // never executed: see taking_back
        ",
        floating_state!(
            "
            bic r3, #4                        // FPCA ends with the thread's turn:
            msr CONTROL, r3                   // the next thread begins without,
            isb                               // and the change has its effect here
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
        "ldr sp, [r0]\n" // the new stack is in use
    };
}

/// Enters a stack with a limit.
#[cfg(stack_limit)]
macro_rules! enter_stack {
    () => {
        "
        ldr r3, [r0]                          // r3 = where r0's registers are
        ldr r2, [r0, #{about}]                // r2 = r0's description
        ldr r2, [r2, #{stack}]                // r2 = the lowest address
        msr PSPLIM, r1                        // no limit while both stacks may be in use
        mov sp, r3                            // the new stack is in use
        msr PSPLIM, r2                        // with its own limit
        "
    };
}

/// Enters a stack with a guard that moves: to the region 0, whose number is valid.
#[cfg(stack_guard_moves)]
macro_rules! enter_stack {
    () => {
        "
        ldr r2, [r0, #{about}]                // r2 = r0's description
        movw r12, #0xed9c                     // r12 = the unit's base address
        movt r12, #0xe000                     // register, MPU_RBAR
        ldr r2, [r2, #{stack}]                // r2 = the lowest address, the guard's
        orr r2, #0x10                         // of the region 0, valid
        ldr sp, [r0]                          // the new stack is in use
        str r2, [r12]                         // the guard moves there
        "
    };
}

/// Takes the limit of the stack away, if there is one: r1 is 0.
#[cfg(stack_limit)]
macro_rules! no_limit {
    () => {
        "msr PSPLIM, r1\n" // the process stack has no limit
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
        ldmia r3!, {{r4-r11, r12}}            // r3 = behind them
        movs r1, #0                           // r1 = 0, for the stub as well
        msr CONTROL, r1              // the main stack, and
        isb                          // nothing before it is (B1.4.4)
        ",
            crate::arch::switch::stacks::no_limit!(),
            "
        msr PSP, r3                           // as initialise has set it
        b __quintet_resume_idle               // PendSV may come, and SVCall unstacks
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
        movw r2, #:lower16:__quintet_resume_fpu               // r2 = the stub of idle
        movt r2, #:upper16:__quintet_resume_fpu               // with floating-point state
        movs r1, #0                           // r1 = 0, for the stub as well
        msr CONTROL, r1              // the main stack, no floating point, and
        isb                          // nothing before it is (B1.4.4)
        ",
            crate::arch::switch::stacks::no_limit!(),
            "
        orr r2, #1                            // in Thumb state
        cmp r12, r2                           // has idle such a state?
        bne 93f                               // no
        vldmia r3!, {{s16-s31}}               // the hardware has the others
        93:
        msr PSP, r3                           // as initialise has set it
        b __quintet_resume_idle               // PendSV may come, and SVCall unstacks
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
            str sp, [r1]                      // r1 is suspended: where its registers are
            ldr r3, [r0]                      // r3 = where idle's registers are
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
            movs r3, #0xff                    // the lowest priority, PendSV's
            msr BASEPRI, r3                   // only PendSV is held off from here on
            mrs r3, CONTROL                   // r3 = CONTROL
            lsls r12, r3, #29                 // N = CONTROL.FPCA
            bmi 90f                           // it has floating-point state
            push {{r4-r11, lr}}               // the registers, and X = the return address
            91:
            str sp, [r1]                      // r1 is suspended: where its registers are
            ldr r3, [r0]                      // r3 = where idle's registers are
            ",
            enter_idle!(),
            floating_state!("")
        )
    };
}

#[cfg(fpu)]
pub(super) use floating_state;
pub(super) use {
    choose_from, choose_next, choose_without, enter_idle, enter_stack, no_limit, switch_pushed,
    switch_stack_to_idle, switch_stacks, switch_unlocked_by,
};
#[cfg(not(fpu))]
pub(super) use {hold_and_push, hold_pushed};
