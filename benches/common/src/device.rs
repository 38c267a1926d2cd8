//! The board: an STM32F100RB, as a peripheral access crate would describe it.
//!
//! Only what the firmware of the tables uses. [`vectors!`] makes the interrupts' part of the vector
//! table; a firmware calls it once.

use cortex_m::interrupt::InterruptNumber;

/// How many bits of a priority the chip has: the STM32F100RB's; the LM3S6965's, on which firmware
/// runs that needs what the former lacks; or those of a core of ARMv6-M, which can't change a word
/// at once.
pub const NVIC_PRIO_BITS: u8 = if !cfg!(target_has_atomic = "32") {
    2
} else if cfg!(quintet_board = "lm3s6965") {
    3
} else {
    4
};

/// The first of the registers that pend interrupts.
pub const NVIC_ISPR: u32 = 0xe000_e200;

/// The register that pends exceptions of the system.
pub const SCB_ICSR: u32 = 0xe000_ed04;

const NVIC_ISER: *mut u32 = 0xe000_e100 as *mut u32;
const NVIC_IPR: *mut u8 = 0xe000_e400 as *mut u8;

/// Writes the priority of an interrupt, 1 the least urgent. With two bits, four neighbours of the
/// fifteen are one.
///
/// # Safety
/// The register exists, and no interrupt writes one beside it meanwhile.
unsafe fn write_priority(number: usize, priority: u8) {
    if NVIC_PRIO_BITS > 2 {
        let encoded = ((1 << NVIC_PRIO_BITS) - priority) << (8 - NVIC_PRIO_BITS);
        // SAFETY: the caller's.
        return unsafe { NVIC_IPR.add(number).write_volatile(encoded) };
    }
    let encoded = u32::from(4 - priority.div_ceil(4)) << 6;
    let shift = 8 * (number % 4);
    // SAFETY: the caller's. ARMv6-M has these registers by words.
    unsafe {
        let word = NVIC_IPR.cast::<u32>().add(number / 4);
        word.write_volatile(word.read_volatile() & !(0xff << shift) | encoded << shift);
    }
}

/// The interrupts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Interrupt {
    /// Line 0 of the pins.
    EXTI0 = 6,
    /// Line 1.
    EXTI1 = 7,
    /// Line 2.
    EXTI2 = 8,
    /// Line 3.
    EXTI3 = 9,
    /// Line 4.
    EXTI4 = 10,
    /// Channel 1 of the DMA.
    DMA1 = 11,
    /// Channel 2.
    DMA2 = 12,
    /// Channel 3.
    DMA3 = 13,
    /// Channel 4.
    DMA4 = 14,
    /// Channel 5.
    DMA5 = 15,
    /// Channel 6.
    DMA6 = 16,
    /// Timer 15.
    TIM15 = 24,
    /// Timer 16.
    TIM16 = 25,
    /// Timer 2: the clock of the tables with time.
    TIM2 = 28,
    /// Timer 3.
    TIM3 = 29,
    /// Timer 4.
    TIM4 = 30,
    /// Serial port 1.
    USART1 = 37,
    /// Serial port 2.
    USART2 = 38,
    /// Lines 10 to 15.
    EXTI15_10 = 40,
    /// Timer 6.
    TIM6 = 54,
    /// Timer 7.
    TIM7 = 55,
}

pub use Interrupt as interrupt;

// SAFETY: the numbers are those of the chip's vector table.
unsafe impl InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        self as u16
    }
}

/// Gives an interrupt its priority (1 the least urgent, 15 the most; or 7) and enables it.
pub fn enable(interrupt: Interrupt, priority: u8) {
    let number = usize::from(interrupt.number());
    // SAFETY: the registers exist, and the firmware is ready for its interrupts.
    unsafe {
        write_priority(number, priority);
        NVIC_ISER.add(number / 32).write_volatile(1 << (number % 32));
    }
}

/// Gives an interrupt its priority: 1 the least urgent, 15 the most, or 7. Whoever uses it
/// enables it.
pub fn prioritise(interrupt: Interrupt, priority: u8) {
    // SAFETY: the register exists, and the interrupt is not enabled yet.
    unsafe { write_priority(usize::from(interrupt.number()), priority) };
}

/// Starts the cycle counter, which a halting debugger reads.
pub fn start_cycle_counter() {
    const DEMCR: *mut u32 = 0xe000_edfc as *mut u32;
    const DWT_CTRL: *mut u32 = 0xe000_1000 as *mut u32;
    // SAFETY: the registers exist on every Cortex-M3, and nothing else uses them.
    unsafe {
        DEMCR.write_volatile(1 << 24);
        DWT_CTRL.write_volatile(1);
    }
}

/// Pends an interrupt; one that is more urgent than the caller has run when this returns.
pub fn pend(interrupt: Interrupt) {
    let number = u32::from(interrupt.number());
    let register = (NVIC_ISPR + number / 32 * 4) as *mut u32;
    // SAFETY: the store only pends the interrupt, whose handler may run at any time.
    unsafe {
        register.write_volatile(1 << (number % 32));
    }
    settle();
}

/// Lets what was pended before and is more urgent than the caller run before what comes behind:
/// the processor takes an interrupt a few cycles behind the store that pends it.
#[inline(always)]
pub fn settle() {
    // SAFETY: the barriers change nothing.
    unsafe { core::arch::asm!("dsb", "isb", options(nostack, preserves_flags)) };
}

/// Holds all interrupts off: what is pended from here on comes behind [`let_in`].
#[inline(always)]
pub fn hold_off() {
    // SAFETY: interrupts may be held off at any time. Nothing is moved into the section, or out.
    unsafe { core::arch::asm!("cpsid i", options(nostack, preserves_flags)) };
}

/// Lets interrupts in again.
#[inline(always)]
pub fn let_in() {
    // SAFETY: the firmware is ready for its interrupts, as before `hold_off`.
    unsafe { core::arch::asm!("cpsie i", options(nostack, preserves_flags)) };
}

/// An entry of the vector table.
pub type Vector = unsafe extern "C" fn();

/// How many interrupts the chip has. A core of ARMv6-M has no more than 32.
pub const INTERRUPTS: usize = if cfg!(target_has_atomic = "32") { 61 } else { 32 };

/// The interrupts' part of the vector table: every interrupt that has a name goes to the function
/// of that name, or to the default handler where the firmware has none.
#[macro_export]
macro_rules! vectors {
    () => {
        $crate::vectors!(
            EXTI0, EXTI1, EXTI2, EXTI3, EXTI4, DMA1, DMA2, DMA3, DMA4, DMA5, DMA6, TIM15, TIM16,
            TIM2, TIM3, TIM4, USART1, USART2, EXTI15_10, TIM6, TIM7
        );
    };
    ($($name:ident),*) => {
        mod vectors {
            unsafe extern "C" {
                $(fn $name();)*
                fn DefaultHandler();
            }

            /// The interrupts' part of the vector table.
            #[unsafe(link_section = ".vector_table.interrupts")]
            #[unsafe(no_mangle)]
            #[used]
            static __INTERRUPTS: [$crate::device::Vector; $crate::device::INTERRUPTS] = {
                let mut table: [$crate::device::Vector; $crate::device::INTERRUPTS] =
                    [DefaultHandler; $crate::device::INTERRUPTS];
                $(
                    if ($crate::device::Interrupt::$name as usize) < $crate::device::INTERRUPTS {
                        table[$crate::device::Interrupt::$name as usize] = $name;
                    }
                )*
                table
            };
        }
    };
}
