//! Stellaris and Tiva: one general-purpose timer counts for ever, and a second one interrupts.
//!
//! TIMER0 counts 32 bits down, again and again. There is no compare register, so TIMER1 counts down
//! once from the remaining time. TIMER1 starts a few cycles after the counter was read: its
//! interrupt is late by these cycles, and never early.
//!
//! (QEMU's model of this chip can't read a timer. The simulator's model can.)

use super::{Hardware, Register};
use crate::arch::pend;
use crate::time::source::Source;

/// Run-mode clock gating control 1.
const RCGC1: Register = Register(0x400f_e104);
/// The bits of TIMER0 and TIMER1 in this register.
const CLOCKS: u32 = 0b11 << 16;
const TIMER0: usize = 0x4003_0000;
const TIMER1: usize = 0x4003_1000;
/// Configuration: 0 for one timer of 32 bits.
const CFG: usize = 0x00;
/// Mode of timer A.
const TAMR: usize = 0x04;
const ONE_SHOT: u32 = 1;
const PERIODIC: u32 = 2;
/// Control; bit 0 enables timer A.
const CTL: usize = 0x0c;
/// Interrupt mask; bit 0: time-out of timer A.
const IMR: usize = 0x18;
/// Interrupt clear.
const ICR: usize = 0x24;
/// Interval load of timer A.
const TAILR: usize = 0x28;
/// The value of timer A.
const TAR: usize = 0x48;

/// TIMER0 and TIMER1 of a Stellaris or Tiva, counting a system clock of `HZ`. The interrupt is
/// TIMER1A's, 21.
#[derive(Debug)]
pub struct Lm3sTimers<const HZ: u32>;

impl<const HZ: u32> Source for Lm3sTimers<HZ> {
    const HZ: u32 = HZ;
    const LEG: u32 = 1 << 30;

    #[inline(always)]
    fn counter() -> u32 {
        // SAFETY: the driver asks only when the source has begun.
        unsafe { !Register(TIMER0 + TAR).read() }
    }

    #[inline(always)]
    fn set(at: u32) {
        let left = at.wrapping_sub(Self::counter()) as i32;
        if left <= 0 {
            pend(Self::INTERRUPT);
            return;
        }
        // SAFETY: the driver asks only when the source has begun, and under the kernel's lock.
        unsafe {
            Register(TIMER1 + CTL).write(0);
            Register(TIMER1 + TAILR).write(left as u32);
            Register(TIMER1 + CTL).write(1);
        }
    }

    #[inline(always)]
    fn acknowledge() -> u32 {
        // SAFETY: the handler runs only when the source has begun.
        unsafe { Register(TIMER1 + ICR).write(1) };
        Self::counter()
    }
}

impl<const HZ: u32> Hardware for Lm3sTimers<HZ> {
    const INTERRUPT: u16 = 21;

    unsafe fn begin() {
        // SAFETY: the caller has the timers to itself.
        unsafe {
            RCGC1.write(RCGC1.read() | CLOCKS);
            // The clock takes a few cycles to come; reading the register back takes longer.
            let _ = RCGC1.read();
            for timer in [TIMER0, TIMER1] {
                Register(timer + CTL).write(0);
                Register(timer + CFG).write(0);
            }
            Register(TIMER0 + TAMR).write(PERIODIC);
            Register(TIMER0 + TAILR).write(u32::MAX);
            Register(TIMER0 + CTL).write(1);
            Register(TIMER1 + TAMR).write(ONE_SHOT);
            Register(TIMER1 + IMR).write(1);
        }
    }
}
