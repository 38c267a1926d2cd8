//! Nucleo-F446RE: the LED LD2, the blue button B1, and the serial port of the debug probe.

use core::fmt;

use stm32_metapac::gpio::vals::{Moder, Pupdr};
use stm32_metapac::{EXTI, GPIOA, GPIOC, RCC, SYSCFG, USART2};

/// The clock of all devices from a reset on.
const CLOCK_HZ: u32 = 16_000_000;

/// The pin of the LED: PA5.
const LED: usize = 5;

/// The pin of the button, which is low while the button is pressed: PC13.
const BUTTON: usize = 13;

/// Port C, as SYSCFG counts them.
const PORT_C: u8 = 2;

/// The pin on which the port transmits: PA2.
const TRANSMIT: usize = 2;

/// The function of that pin which is USART2's.
const USART2_FUNCTION: u8 = 7;

/// Nothing: from a reset on, the chip runs at 16 MHz.
pub fn start() {}

/// The LED.
pub struct Led(());

impl Led {
    /// Makes its pin an output.
    pub fn take() -> Self {
        RCC.ahb1enr().modify(|bits| bits.set_gpioaen(true));
        GPIOA
            .moder()
            .modify(|bits| bits.set_moder(LED, Moder::OUTPUT));
        Self(())
    }

    /// Switches it.
    pub fn set(&mut self, on: bool) {
        GPIOA.bsrr().write(|bits| {
            if on {
                bits.set_bs(LED, true)
            } else {
                bits.set_br(LED, true)
            }
        });
    }
}

/// The button. Its interrupt is EXTI15_10.
pub struct Button(());

impl Button {
    /// Lets a press raise the interrupt.
    pub fn take() -> Self {
        RCC.ahb1enr().modify(|bits| bits.set_gpiocen(true));
        RCC.apb2enr().modify(|bits| bits.set_syscfgen(true));
        GPIOC
            .pupdr()
            .modify(|bits| bits.set_pupdr(BUTTON, Pupdr::PULL_UP));
        SYSCFG
            .exticr(BUTTON / 4)
            .modify(|bits| bits.set_exti(BUTTON % 4, PORT_C));
        EXTI.ftsr(0).modify(|bits| bits.set_line(BUTTON, true));
        EXTI.imr(0).modify(|bits| bits.set_line(BUTTON, true));
        Self(())
    }

    /// Ends the interrupt.
    pub fn clear(&mut self) {
        EXTI.pr(0).write(|bits| bits.set_line(BUTTON, true));
    }
}

/// The serial port: 115200 baud, 8 bits, no parity.
pub struct Serial(());

impl Serial {
    /// Switches the transmitter on.
    pub fn take() -> Self {
        RCC.ahb1enr().modify(|bits| bits.set_gpioaen(true));
        RCC.apb1enr().modify(|bits| bits.set_usart2en(true));
        GPIOA
            .afr(TRANSMIT / 8)
            .modify(|bits| bits.set_afr(TRANSMIT % 8, USART2_FUNCTION));
        GPIOA
            .moder()
            .modify(|bits| bits.set_moder(TRANSMIT, Moder::ALTERNATE));
        USART2
            .brr()
            .write(|bits| bits.set_brr((CLOCK_HZ / 115_200) as u16));
        USART2.cr1().write(|bits| {
            bits.set_ue(true);
            bits.set_te(true);
        });
        Self(())
    }
}

impl fmt::Write for Serial {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            while !USART2.sr().read().txe() {}
            USART2.dr().write(|bits| bits.set_dr(byte.into()));
        }
        Ok(())
    }
}
