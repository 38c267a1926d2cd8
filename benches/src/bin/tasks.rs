//! Group `tasks`: what Quintet's interrupt tasks and resources cost, beside "Overhead analysis of
//! the RTFM framework".
//!
//! The programs are the document's: tasks with the same work, between the same points. Beside each
//! entry is that of a *bare* handler, which has the same body and nothing of Quintet.

#![no_std]
#![no_main]

use core::arch::{asm, naked_asm};
use core::sync::atomic::{AtomicBool, Ordering};

use quintet_bench_common::device::{Interrupt, NVIC_ISPR};
use quintet_bench_common::{mark, mark_text};

quintet_bench_common::vectors!();

/// Makes the function around it save registers.
#[inline(always)]
fn use_six_registers() {
    // SAFETY: there is no instruction.
    unsafe {
        asm!(
            "/* {0} {1} {2} {3} {4} {5} */",
            in(reg) 0, in(reg) 1, in(reg) 2, in(reg) 3, in(reg) 4, in(reg) 5,
            options(nostack, preserves_flags)
        );
    }
}

/// A function without a prologue: the compiler gives every function a frame on this target.
#[unsafe(naked)]
extern "C" fn callee() {
    naked_asm!(mark_text!("call_inside"), "bx lr");
}

#[inline(never)]
fn callee_with_prologue() {
    mark!("call_prologue_entered");
    use_six_registers();
    mark!("call_prologue_leaving");
}

/// True once, then false, and so on. In memory, so that nothing of it is done between two marks.
#[inline(always)]
fn is_again() -> bool {
    static IS_AGAIN: AtomicBool = AtomicBool::new(false);
    let is_again = !IS_AGAIN.load(Ordering::Relaxed);
    IS_AGAIN.store(is_again, Ordering::Relaxed);
    is_again
}

/// A handler without Quintet that preempts.
#[unsafe(no_mangle)]
extern "C" fn TIM4() {
    mark!("bare_entered");
    use_six_registers();
    mark!("bare_leaving");
}

/// A handler without Quintet that pends another of its priority.
#[unsafe(no_mangle)]
extern "C" fn EXTI2() {
    pend_behind(Interrupt::TIM7);
    mark!("bare_tail_leaving");
}

/// The other.
#[unsafe(no_mangle)]
extern "C" fn TIM7() {
    mark!("bare_tail_entered");
    use_six_registers();
}

/// Pends an interrupt that comes when the caller has ended.
#[inline(always)]
fn pend_behind(interrupt: Interrupt) {
    let register = (NVIC_ISPR + interrupt as u32 / 32 * 4) as *mut u32;
    // SAFETY: the store only pends the interrupt, whose handler may run at any time.
    unsafe { register.write_volatile(1 << (interrupt as u32 % 32)) };
}

#[quintet::app(device = quintet_bench_common::device, peripherals = false)]
mod app {
    use core::arch::asm;
    #[cfg(feature = "more_8")]
    use core::hint::black_box;

    use quintet_bench_common::device::{self, Interrupt};
    use quintet_bench_common::{exit, mark, pend};

    use super::{callee, callee_with_prologue, is_again, pend_behind, use_six_registers};

    /// What idle pends, one after the other.
    const PROGRAMS: [Interrupt; 6] = [
        Interrupt::EXTI0,
        Interrupt::EXTI1,
        Interrupt::EXTI2,
        Interrupt::TIM6,
        Interrupt::EXTI15_10,
        Interrupt::TIM15,
    ];

    #[shared]
    struct Shared {
        /// Nothing else is held where the lower of its users locks it.
        alone: u32,
        /// Its lower user has another resource, which may be held then.
        nested: u32,
        /// Used at the hardware's highest priority too, which BASEPRI can't mask.
        topmost: u32,
        /// Both users have the same priority.
        #[lock_free]
        free: u32,
        #[cfg(feature = "resources_8")]
        more_0: u32,
        #[cfg(feature = "resources_8")]
        more_1: u32,
        #[cfg(feature = "resources_8")]
        more_2: u32,
        #[cfg(feature = "resources_8")]
        more_3: u32,
        #[cfg(feature = "resources_8")]
        more_4: u32,
        #[cfg(feature = "resources_8")]
        more_5: u32,
        #[cfg(feature = "resources_8")]
        more_6: u32,
        #[cfg(feature = "resources_8")]
        more_7: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        device::start_cycle_counter();
        device::enable(Interrupt::TIM4, 3);
        device::enable(Interrupt::EXTI2, 1);
        device::enable(Interrupt::TIM7, 1);
        (
            Shared {
                alone: 0,
                nested: 0,
                topmost: 0,
                free: 0,
                #[cfg(feature = "resources_8")]
                more_0: 0,
                #[cfg(feature = "resources_8")]
                more_1: 1,
                #[cfg(feature = "resources_8")]
                more_2: 2,
                #[cfg(feature = "resources_8")]
                more_3: 3,
                #[cfg(feature = "resources_8")]
                more_4: 4,
                #[cfg(feature = "resources_8")]
                more_5: 5,
                #[cfg(feature = "resources_8")]
                more_6: 6,
                #[cfg(feature = "resources_8")]
                more_7: 7,
            },
            Local {},
        )
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        mark!("idle");
        for program in PROGRAMS {
            device::pend(program);
        }
        exit(0)
    }

    /// The programs without resources.
    #[task(binds = EXTI0, priority = 1)]
    fn programs(_: programs::Context) {
        mark!("nop_before");
        // SAFETY: it does nothing.
        unsafe { asm!("nop", options(nomem, nostack, preserves_flags)) };
        mark!("nop_after");
        mark!("call_before");
        callee();
        mark!("call_after");
        mark!("call_prologue_before");
        callee_with_prologue();
        mark!("call_prologue_after");
        pend!("preemption_pend", "preemption_back", Interrupt::TIM3);
        pend!("bare_pend", "bare_back", Interrupt::TIM4);
    }

    /// Preempts.
    #[task(binds = TIM3, priority = 3)]
    fn preempting(_: preempting::Context) {
        mark!("preempting_entered");
        use_six_registers();
        mark!("preempting_leaving");
    }

    /// Pends another task of its priority.
    #[task(binds = EXTI1, priority = 1)]
    fn chaining(_: chaining::Context) {
        pend_behind(Interrupt::TIM16);
        mark!("tail_leaving");
    }

    #[task(binds = TIM16, priority = 1)]
    fn chained(_: chained::Context) {
        mark!("tail_entered");
        use_six_registers();
    }

    /// Owns one resource, and locks another one that somebody more urgent uses.
    #[task(binds = TIM6, priority = 1, local = [count: u32 = 0], shared = [alone])]
    fn locks_alone(mut context: locks_alone::Context) {
        mark!("local_before");
        *context.local.count += 1;
        mark!("local_after");
        mark!("alone_before");
        context.shared.alone.lock(|_| mark!("alone_inside"));
        mark!("alone_after");
        // As in the document, the constants are in registers before the mark.
        while is_again() {
            mark!("loop_alone_before");
            context.shared.alone.lock(|_| mark!("loop_alone_inside"));
            mark!("loop_alone_after");
        }
    }

    /// Locks where another resource may be held, and what only PRIMASK holds off.
    #[task(binds = EXTI15_10, priority = 2, shared = [alone, nested, topmost])]
    fn locks_nested(mut context: locks_nested::Context) {
        mark!("nested_before");
        context.shared.nested.lock(|_| mark!("nested_inside"));
        mark!("nested_after");
        while is_again() {
            mark!("loop_nested_before");
            context.shared.nested.lock(|_| mark!("loop_nested_inside"));
            mark!("loop_nested_after");
        }
        mark!("topmost_before");
        context.shared.topmost.lock(|_| mark!("topmost_inside"));
        mark!("topmost_after");
        mark!("ceiling_empty_before");
        context.shared.alone.lock(|_| ());
        mark!("ceiling_empty_after");
        mark!("ceiling_before");
        context.shared.alone.lock(|alone| *alone += 1);
        mark!("ceiling_after");
    }

    /// One of two tasks of one priority.
    #[task(binds = TIM15, priority = 2, shared = [free])]
    fn uses_free(context: uses_free::Context) {
        mark!("free_before");
        *context.shared.free += 1;
        mark!("free_after");
    }

    /// The other, which has more to do than it is asked for.
    #[task(binds = EXTI4, priority = 2, shared = [free])]
    fn uses_free_too(context: uses_free_too::Context) {
        *context.shared.free += 2;
    }

    /// The more urgent user.
    #[task(binds = EXTI3, priority = 3, shared = [nested])]
    fn uses_nested(mut context: uses_nested::Context) {
        context.shared.nested.lock(|nested| *nested += 1);
    }

    /// The most urgent of all.
    #[task(binds = TIM2, priority = 16, shared = [topmost])]
    fn uses_topmost(mut context: uses_topmost::Context) {
        context.shared.topmost.lock(|topmost| *topmost += 1);
    }

    #[cfg(feature = "more_8")]
    #[task(binds = USART1, priority = 1)]
    fn more_0(_: more_0::Context) {
        black_box(());
    }

    #[cfg(feature = "more_8")]
    #[task(binds = USART2, priority = 1)]
    fn more_1(_: more_1::Context) {
        black_box(());
    }

    #[cfg(feature = "more_8")]
    #[task(binds = DMA1, priority = 1)]
    fn more_2(_: more_2::Context) {
        black_box(());
    }

    #[cfg(feature = "more_8")]
    #[task(binds = DMA2, priority = 1)]
    fn more_3(_: more_3::Context) {
        black_box(());
    }

    #[cfg(feature = "more_8")]
    #[task(binds = DMA3, priority = 1)]
    fn more_4(_: more_4::Context) {
        black_box(());
    }

    #[cfg(feature = "more_8")]
    #[task(binds = DMA4, priority = 1)]
    fn more_5(_: more_5::Context) {
        black_box(());
    }

    #[cfg(feature = "more_8")]
    #[task(binds = DMA5, priority = 1)]
    fn more_6(_: more_6::Context) {
        black_box(());
    }

    #[cfg(feature = "more_8")]
    #[task(binds = DMA6, priority = 1)]
    fn more_7(_: more_7::Context) {
        black_box(());
    }

    #[cfg(feature = "resources_8")]
    #[task(
        binds = USART1,
        priority = 1,
        shared = [more_0, more_1, more_2, more_3, more_4, more_5, more_6, more_7]
    )]
    fn uses_more(mut context: uses_more::Context) {
        context.shared.more_0.lock(|more| *more += 1);
        context.shared.more_1.lock(|more| *more += 1);
        context.shared.more_2.lock(|more| *more += 1);
        context.shared.more_3.lock(|more| *more += 1);
        context.shared.more_4.lock(|more| *more += 1);
        context.shared.more_5.lock(|more| *more += 1);
        context.shared.more_6.lock(|more| *more += 1);
        context.shared.more_7.lock(|more| *more += 1);
    }
}
