//! nRF51 and nRF52: TIMER0 counts 32 bits up at 1 MHz, and compares.
//!
//! The counter can't be read, but only captured into a register. If a second capture interrupts the
//! first one before its register is read, the first reader reads the later value: still a time
//! between the call and its return.

use super::{Hardware, Register};
use crate::arch::pend;
use crate::time::source::Source;

const TIMER0: usize = 0x4000_8000;
const TASKS_START: Register = Register(TIMER0);
const TASKS_STOP: Register = Register(TIMER0 + 0x004);
const TASKS_CLEAR: Register = Register(TIMER0 + 0x00c);
/// Captures the counter into CC\[1\].
const TASKS_CAPTURE_1: Register = Register(TIMER0 + 0x044);
/// The event that CC\[0\] was reached.
const EVENTS_COMPARE_0: Register = Register(TIMER0 + 0x140);
const INTENSET: Register = Register(TIMER0 + 0x304);
/// The bit of EVENTS_COMPARE\[0\] in INTENSET.
const COMPARE_0: u32 = 1 << 16;
const MODE: Register = Register(TIMER0 + 0x504);
const BITMODE: Register = Register(TIMER0 + 0x508);
const BITS_32: u32 = 3;
const PRESCALER: Register = Register(TIMER0 + 0x510);
/// 16 MHz by 2^4.
const TO_1_MHZ: u32 = 4;
const CC_0: Register = Register(TIMER0 + 0x540);
const CC_1: Register = Register(TIMER0 + 0x544);

/// TIMER0 of an nRF51 or nRF52, at 1 MHz. The source uses the compare channels 0 and 1.
#[derive(Debug)]
pub struct NrfTimer0;

impl Source for NrfTimer0 {
    const HZ: u32 = 1_000_000;
    const LEG: u32 = 1 << 30;

    #[inline(always)]
    fn counter() -> u32 {
        // SAFETY: the chip has them, and channel 1 is for this alone.
        unsafe {
            TASKS_CAPTURE_1.write(1);
            CC_1.read()
        }
    }

    #[inline(always)]
    fn set(at: u32) {
        // SAFETY: the chip has them, and channel 0 is for this alone.
        unsafe {
            // Cleared before: an event that comes behind this is that of the new time.
            EVENTS_COMPARE_0.write(0);
            CC_0.write(at);
        }
        // The event comes when the counter changes to the value: now it may be too late for it.
        if at.wrapping_sub(Self::counter()) as i32 <= 1 {
            pend(Self::INTERRUPT);
        }
    }

    #[inline(always)]
    fn acknowledge() -> u32 {
        // SAFETY: the chip has it. It is read back so that the interrupt's line has fallen when the
        // handler returns.
        unsafe {
            EVENTS_COMPARE_0.write(0);
            let _ = EVENTS_COMPARE_0.read();
        }
        Self::counter()
    }
}

impl Hardware for NrfTimer0 {
    const INTERRUPT: u16 = 8;

    unsafe fn begin() {
        // SAFETY: the caller has the timer to itself.
        unsafe {
            TASKS_STOP.write(1);
            TASKS_CLEAR.write(1);
            MODE.write(0);
            BITMODE.write(BITS_32);
            PRESCALER.write(TO_1_MHZ);
            EVENTS_COMPARE_0.write(0);
            INTENSET.write(COMPARE_0);
            TASKS_START.write(1);
        }
    }
}
