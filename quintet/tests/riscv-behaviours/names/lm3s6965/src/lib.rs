//! Interrupts by the names of a Cortex-M's chip, for RISC-V: programs of `tests/firmware` pend them.
#![no_std]

pub use quintet::riscv::{NVIC_PRIO_BITS, Peripherals};

/// An interrupt that programs pend.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Interrupt {
    SSI0 = 0,
    QEI0 = 1,
    GPIOA = 2,
    UART0 = 3,
    UART1 = 4,
    GPIOE = 5,
    UART2 = 6,
    I2C1 = 7,
    I2C0 = 8,
    GPIOB = 9,
    GPIOC = 10,
    GPIOD = 11,
    GPIOF = 12,
    GPIOG = 13,
    ETHERNET = 14,
    HIBERNATION = 15,
    TIMER_3A = 16,
}

pub use Interrupt as interrupt;

// SAFETY: each name has one number.
unsafe impl quintet::export::InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        self as u16
    }
}
