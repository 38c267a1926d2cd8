//! Timer 2 as a clock of microseconds: what a hardware layer gives a system's timer queue.
//!
//! The chip's timers have 16 bits. The clock counts half periods in software: at 0x8000 and at 0
//! the timer interrupts, and the number of half periods together with the counter gives the time.
//! The same for each system that is measured with it. A system that brings a driver of the timer
//! uses that; [`plain`] stands for one in firmware without a system.

use core::sync::atomic::{AtomicU32, Ordering};

const RCC_APB1ENR: *mut u32 = 0x4002_101c as *mut u32;
const TIM2: usize = 0x4000_0000;
const CR1: *mut u32 = TIM2 as *mut u32;
const DIER: *mut u32 = (TIM2 + 0x0c) as *mut u32;
const SR: *mut u32 = (TIM2 + 0x10) as *mut u32;
const EGR: *mut u32 = (TIM2 + 0x14) as *mut u32;
const CNT: *mut u32 = (TIM2 + 0x24) as *mut u32;
const PSC: *mut u32 = (TIM2 + 0x28) as *mut u32;
const ARR: *mut u32 = (TIM2 + 0x2c) as *mut u32;
const CCR1: *mut u32 = (TIM2 + 0x34) as *mut u32;
const CCR2: *mut u32 = (TIM2 + 0x38) as *mut u32;

/// The counter has come to its end.
const UPDATE: u32 = 1;
/// It has come to the alarm.
const ALARM: u32 = 1 << 1;
/// It has come to its middle.
const HALF: u32 = 1 << 2;

/// How far ahead an alarm can be: less than a period, so that it is not mistaken for the next one.
const AHEAD_MAX: u64 = 0xc000;

/// Half periods since the start.
static HALVES: AtomicU32 = AtomicU32::new(0);

/// Starts the clock at 0: 1 MHz from the 8 MHz after reset.
pub fn start() {
    // SAFETY: the registers exist, and nothing else uses the timer.
    unsafe {
        RCC_APB1ENR.write_volatile(RCC_APB1ENR.read_volatile() | 1);
        PSC.write_volatile(7);
        ARR.write_volatile(0xffff);
        CCR2.write_volatile(0x8000);
        // Loads the prescaler, and counts as an update.
        EGR.write_volatile(1);
        SR.write_volatile(0);
        DIER.write_volatile(UPDATE | HALF);
        CR1.write_volatile(1);
    }
}

/// The time in microseconds.
#[inline]
pub fn now() -> u64 {
    let halves = HALVES.load(Ordering::Relaxed);
    core::sync::atomic::compiler_fence(Ordering::Acquire);
    // SAFETY: reading the counter changes nothing.
    let counter = unsafe { CNT.read_volatile() };
    // In an odd half the counter stands in the upper half of its range; where it does not yet (or
    // no longer), the interrupt that counts the half is still to come.
    (u64::from(halves) << 15) + u64::from(counter ^ (halves & 1) << 15)
}

/// Sets the alarm, if it can be set: the time is neither past nor too far ahead. Where it is too
/// far, the next half period brings an interrupt in any case, and with it the next occasion.
#[inline]
pub fn set_alarm(at: u64) {
    // SAFETY: only the alarm's part of the timer, and only by the one queue that owns it.
    unsafe {
        CCR1.write_volatile(at as u32 & 0xffff);
        let is_near = at < now() + AHEAD_MAX;
        DIER.write_volatile(UPDATE | HALF | if is_near { ALARM } else { 0 });
    }
}

/// No alarm any more.
#[inline]
pub fn clear_alarm() {
    // SAFETY: as in `set_alarm`.
    unsafe { DIER.write_volatile(UPDATE | HALF) };
}

/// Takes the reasons of an interrupt, and counts half periods. The interrupt's handler calls it
/// first, once.
#[inline]
pub fn acknowledge() {
    // SAFETY: the flags that were seen are cleared by writing 0 to them.
    let status = unsafe {
        let status = SR.read_volatile();
        SR.write_volatile(!status);
        status
    };
    let halves = (status & UPDATE != 0) as u32 + (status & HALF != 0) as u32;
    if halves > 0 {
        HALVES.store(HALVES.load(Ordering::Relaxed) + halves, Ordering::Relaxed);
    }
}

/// The timer without a clock: what firmware needs to start it, and to take its interrupt.
pub mod plain {
    use super::*;

    /// Starts the counter: 1 MHz from the 8 MHz after reset.
    pub fn start() {
        // SAFETY: the registers exist, and nothing else uses the timer.
        unsafe {
            RCC_APB1ENR.write_volatile(RCC_APB1ENR.read_volatile() | 1);
            PSC.write_volatile(7);
            ARR.write_volatile(0xffff);
            // Loads the prescaler, and counts as an update.
            EGR.write_volatile(1);
            SR.write_volatile(0);
            DIER.write_volatile(ALARM);
            CR1.write_volatile(1);
        }
    }

    /// Takes the interrupt.
    #[inline(always)]
    pub fn acknowledge() {
        // SAFETY: only this flag is cleared.
        unsafe { SR.write_volatile(!ALARM) };
    }
}
