//! The board: interrupts of the kernel's controller in software, by the names that the tables'
//! board has for its own.

use core::arch::asm;

use quintet::export::InterruptNumber;

pub use quintet::riscv::NVIC_PRIO_BITS;

/// The interrupts.
#[expect(missing_docs, reason = "the names are those of the tables' board")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Interrupt {
    EXTI0 = 0,
    EXTI1 = 1,
    EXTI2 = 2,
    EXTI3 = 3,
    EXTI4 = 4,
    DMA1 = 5,
    DMA2 = 6,
    DMA3 = 7,
    DMA4 = 8,
    DMA5 = 9,
    DMA6 = 10,
    TIM15 = 11,
    TIM16 = 12,
    TIM2 = 13,
    TIM3 = 14,
    TIM4 = 15,
    USART1 = 16,
    USART2 = 17,
    EXTI15_10 = 18,
    TIM6 = 19,
    TIM7 = 20,
}

pub use Interrupt as interrupt;

// SAFETY: each name has one number.
unsafe impl InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        self as u16
    }
}

/// Gives an interrupt its priority and enables it. The priority is above that of threads, of which
/// an application without levels has no other.
pub fn enable(interrupt: Interrupt, priority: u8) {
    // SAFETY: the firmware is ready for its interrupts.
    unsafe {
        quintet::export::set_interrupt_priority(interrupt as u16, 1 + priority);
        quintet::export::enable(interrupt as u16);
    }
}

/// Nothing: the hart counts its cycles.
pub const fn start_cycle_counter() {}

/// Pends an interrupt; one that is more urgent than the caller has run when this returns.
#[inline(always)]
pub fn pend(interrupt: Interrupt) {
    quintet::export::pend(interrupt as u16);
}

/// Nothing: what is pended comes before what stands behind it.
#[inline(always)]
pub const fn settle() {}

/// Holds all interrupts off: what is pended from here on comes behind [`let_in`].
#[inline(always)]
pub fn hold_off() {
    // SAFETY: interrupts may be held off at any time. Nothing is moved into the section, or out.
    unsafe { asm!("csrci mstatus, 8", options(nostack, preserves_flags)) };
}

/// Lets interrupts in again.
#[inline(always)]
pub fn let_in() {
    // SAFETY: the firmware is ready for its interrupts, as before `hold_off`.
    unsafe { asm!("csrsi mstatus, 8", options(nostack, preserves_flags)) };
}

/// Nothing: an application lists its routines itself, and [`kernel!`](crate::kernel!) those of the
/// library's firmware.
#[macro_export]
macro_rules! vectors {
    () => {};
}

/// The kernel of firmware without an application, with handlers for two interrupts. A handler that
/// the firmware lacks does nothing.
#[macro_export]
macro_rules! kernel {
    () => {
        quintet::__stack_guard!(true);
        const _: () = {
            quintet::__kernel_lock_of_threads!(quintet::export::Ceiling::of_hardware(0x20));
    quintet::__switch_exceptions!(0x20, without ceilings);
    quintet::__vectors!([interrupt TIM3 14_u16] [interrupt TIM4 15_u16]);

            #[unsafe(no_mangle)]
            extern "Rust" fn __quintet_levels() -> &'static [quintet::export::Level] {
                &[]
            }
        };
        quintet::__timer_nodes!(0);
    };
}
