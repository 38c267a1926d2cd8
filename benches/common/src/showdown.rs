//! The application of "Async Rust vs RTOS showdown!": what it does apart from any framework.
//!
//! An LED blinks unless the button is pressed; each change of the button is counted and puts a
//! message into a queue; the messages go out by the serial port. Here are the registers, the
//! message, and nothing that waits: each framework's firmware waits in its own way.

use core::fmt::Write;
use core::sync::atomic::AtomicBool;

/// The button's state, for the task that blinks.
pub static IS_PRESSED: AtomicBool = AtomicBool::new(false);

/// So many times the LED blinks before the program ends.
pub const BLINKS: u32 = 5;

/// Half of the time of a blink, in microseconds.
pub const HALF_BLINK: u64 = 100_000;

/// So many messages can wait for the serial port.
pub const QUEUE: usize = 8;

const RCC_APB2ENR: *mut u32 = 0x4002_1018 as *mut u32;
const GPIOB_CRL: *mut u32 = 0x4001_0c00 as *mut u32;
const GPIOB_BSRR: *mut u32 = 0x4001_0c10 as *mut u32;
const GPIOC_IDR: *const u32 = 0x4001_1008 as *const u32;
const AFIO_EXTICR4: *mut u32 = 0x4001_0014 as *mut u32;
const EXTI_IMR: *mut u32 = 0x4001_0400 as *mut u32;
const EXTI_RTSR: *mut u32 = 0x4001_0408 as *mut u32;
const EXTI_FTSR: *mut u32 = 0x4001_040c as *mut u32;
const EXTI_PR: *mut u32 = 0x4001_0414 as *mut u32;
const USART1_SR: *const u32 = 0x4001_3800 as *const u32;
const USART1_DR: *mut u32 = 0x4001_3804 as *mut u32;
const USART1_BRR: *mut u32 = 0x4001_3808 as *mut u32;
const USART1_CR1: *mut u32 = 0x4001_380c as *mut u32;

/// The button's line among the external interrupts: PC13.
const LINE: u32 = 1 << 13;
/// The serial port can take a byte.
const TXE: u32 = 1 << 7;
/// Enabled, sending.
const ENABLED: u32 = 1 << 13 | 1 << 3;

/// Sets up the LED, the button's line without an interrupt, and the serial port.
pub fn start() {
    // SAFETY: the registers exist, and nothing runs yet that uses them.
    unsafe {
        // Ports A to C, the alternate functions, the serial port.
        RCC_APB2ENR.write_volatile(RCC_APB2ENR.read_volatile() | 1 << 14 | 0b1_1101);
        GPIOB_CRL.write_volatile(GPIOB_CRL.read_volatile() & !0xf | 0x2);
        AFIO_EXTICR4.write_volatile(AFIO_EXTICR4.read_volatile() & !0xf0 | 0x20);
        // 115 200 baud from 8 MHz.
        USART1_BRR.write_volatile(69);
        USART1_CR1.write_volatile(ENABLED);
    }
}

/// Switches the LED.
#[inline]
pub fn set_led(is_on: bool) {
    // SAFETY: the register sets and clears pins by its own; pin 0 is the LED's.
    unsafe { GPIOB_BSRR.write_volatile(if is_on { 1 } else { 1 << 16 }) };
}

/// The button, as its pin and its line of the external interrupts.
pub mod button {
    use super::*;

    /// Whether it is pressed.
    #[inline]
    pub fn is_pressed() -> bool {
        // SAFETY: reading the pins changes nothing.
        unsafe { GPIOC_IDR.read_volatile() & LINE != 0 }
    }

    /// Makes its edges interrupt: rising ones, falling ones or both. What came before is forgotten.
    #[inline]
    pub fn listen(is_rising: bool, is_falling: bool) {
        // SAFETY: other lines keep their bits; nobody else changes the registers meanwhile, since
        // the caller's framework sees to that where there are several users.
        unsafe {
            let choose = |register: *mut u32, is_wanted: bool| {
                let others = register.read_volatile() & !LINE;
                register.write_volatile(others | if is_wanted { LINE } else { 0 });
            };
            choose(EXTI_RTSR, is_rising);
            choose(EXTI_FTSR, is_falling);
            EXTI_PR.write_volatile(LINE);
            EXTI_IMR.write_volatile(EXTI_IMR.read_volatile() | LINE);
        }
    }

    /// Takes its interrupt back.
    #[inline]
    pub fn acknowledge() {
        // SAFETY: the bit that is written is cleared, others are not touched.
        unsafe { EXTI_PR.write_volatile(LINE) };
    }

    /// Takes its interrupt back and disables it.
    #[inline]
    pub fn acknowledge_and_mute() {
        // SAFETY: as in `listen`; interrupts of lines do not preempt each other.
        unsafe {
            EXTI_IMR.write_volatile(EXTI_IMR.read_volatile() & !LINE);
            EXTI_PR.write_volatile(LINE);
        }
    }

    /// Whether its interrupt is disabled.
    #[inline]
    pub fn is_muted() -> bool {
        // SAFETY: reading changes nothing.
        unsafe { EXTI_IMR.read_volatile() & LINE == 0 }
    }
}

/// The serial port.
pub mod serial {
    use super::*;

    /// Sends the first of the bytes, as far as the port takes them now; those left remain.
    #[inline]
    pub fn send(bytes: &mut &[u8]) {
        while let Some((first, rest)) = bytes.split_first() {
            // SAFETY: the port belongs to the task that sends.
            unsafe {
                if USART1_SR.read_volatile() & TXE == 0 {
                    return;
                }
                USART1_DR.write_volatile(u32::from(*first));
            }
            *bytes = rest;
        }
    }

    /// Makes it interrupt when it can take a byte, or not.
    #[inline]
    pub fn listen(is_wanted: bool) {
        // SAFETY: the port belongs to the task that sends and its interrupt, which do not overlap:
        // the interrupt comes only while the task waits.
        unsafe { USART1_CR1.write_volatile(if is_wanted { ENABLED | TXE } else { ENABLED }) };
    }
}

/// A line of text.
#[derive(Clone)]
pub struct Message {
    text: [u8; 31],
    length: u8,
}

impl Message {
    /// "Button is 1 (7)" and a line's end.
    #[inline(never)]
    pub fn new(count: u32, is_pressed: bool) -> Self {
        let mut message = Self { text: [0; 31], length: 0 };
        // It always has room.
        let _ = writeln!(message, "Button is {} ({count})", u8::from(is_pressed));
        message
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.text.get(..usize::from(self.length)).unwrap_or_default()
    }
}

impl Write for Message {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let start = usize::from(self.length);
        let end = start + text.len();
        let place = self.text.get_mut(start..end).ok_or(core::fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length = end as u8;
        Ok(())
    }
}
