//! The device, as a peripheral access crate would describe it.

/// How many bits of a priority count.
pub const NVIC_PRIO_BITS: u8 = 2;

/// The interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they have numbers and no meaning")]
#[repr(u16)]
pub enum Interrupt {
    LINE0,
    LINE1,
    LINE2,
    LINE3,
    LINE4,
    LINE5,
    LINE6,
    LINE7,
    LINE8,
}

pub use Interrupt as interrupt;

// SAFETY: the vector table below has them in this order.
unsafe impl cortex_m::interrupt::InterruptNumber for Interrupt {
    fn number(self) -> u16 {
        self as u16
    }
}

unsafe extern "C" {
    fn LINE0();
    fn LINE1();
    fn LINE2();
    fn LINE3();
    fn LINE4();
    fn LINE5();
    fn LINE6();
    fn LINE7();
    fn LINE8();
}

/// The interrupts' part of the vector table.
#[doc(hidden)]
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
#[used]
pub static __INTERRUPTS: [unsafe extern "C" fn(); 9] =
    [LINE0, LINE1, LINE2, LINE3, LINE4, LINE5, LINE6, LINE7, LINE8];
