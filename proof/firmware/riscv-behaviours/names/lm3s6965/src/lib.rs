//! Interrupts by the names of a Cortex-M's chip and in its order, for RISC-V: programs of
//! `behaviours` pend them.
#![no_std]

pub use quintet::riscv::{NVIC_PRIO_BITS, Peripherals};

/// An interrupt that programs pend.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Interrupt {
    GPIOA = 0,
    GPIOB = 1,
    GPIOC = 2,
    GPIOD = 3,
    GPIOE = 4,
    UART0 = 5,
    UART1 = 6,
    SSI0 = 7,
    I2C0 = 8,
    QEI0 = 9,
    TIMER_3A = 10,
    GPIOF = 11,
    GPIOG = 12,
    UART2 = 13,
    I2C1 = 14,
    ETHERNET = 15,
    HIBERNATION = 16,
}

pub use Interrupt as interrupt;

// SAFETY: each name has one number.
unsafe impl quintet::export::InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        self as u16
    }
}
