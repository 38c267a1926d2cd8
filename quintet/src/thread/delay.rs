//! Waiting for a time: a thread's timer lies on the thread's own stack, and makes the thread ready
//! itself.

#![expect(unsafe_code, reason = "the queue links to a node on the stack")]

use ::core::mem::MaybeUninit;

use embassy_time::{Duration, Instant};

use super::CurrentThread;
use crate::arch::switch;
use crate::core::application::has_ceilings;
use crate::core::lock::Section;
use crate::core::park;
use crate::core::record::WakeTarget;
use crate::core::timer::Node;
use crate::time::counted::{COUNTED, LONGEST};
use crate::time::delay::ticks;
use crate::time::{driver, from_now};

impl CurrentThread<'_> {
    /// Waits until `duration` has passed by the clock. Other threads run in the meantime. A
    /// `duration` of 0 returns at once.
    ///
    /// The present tick of the clock has begun already. So a delay of n ticks lasts more than n - 1
    /// ticks, but may last less than n. With [`systick_tick`](crate::systick_tick) as the clock, a
    /// single tick may take almost no time. If `duration` is the least time that you need, add a
    /// tick, as the methods of `DelayNs` do.
    ///
    /// For periodic work, use [`delay_until`](Self::delay_until) or
    /// [`Ticker`](crate::time::Ticker), which don't drift.
    ///
    /// # Panics
    /// If the thread holds a resource, or interrupts off, and `duration` is not 0.
    #[inline]
    pub fn delay(&self, duration: Duration) {
        match duration.as_ticks() {
            0 => {}
            ticks if driver::is_counted() => sleep_for_ticks(ticks.min(LONGEST)),
            _ => sleep(from_now(duration).as_ticks()),
        }
    }

    /// Waits until `deadline`. Other threads run in the meantime. Returns at once if `deadline` has
    /// passed.
    ///
    /// # Panics
    /// If the thread holds a resource, or interrupts off, and `deadline` has not passed.
    #[inline]
    pub fn delay_until(&self, deadline: Instant) {
        if driver::is_counted() {
            sleep_until_tick(deadline.as_ticks());
        } else if Instant::now() < deadline {
            sleep(deadline.as_ticks());
        }
    }
}

/// Waits at least for the requested time, and at most two ticks of the clock longer (plus the time
/// that other code runs). Other threads run in the meantime. A requested time of 0 waits for the
/// next tick.
///
/// # Panics
/// If the thread holds a resource, or interrupts off.
impl embedded_hal::delay::DelayNs for CurrentThread<'_> {
    #[inline]
    fn delay_ns(&mut self, ns: u32) {
        (&*self).delay_ns(ns);
    }

    #[inline]
    fn delay_us(&mut self, us: u32) {
        (&*self).delay_us(us);
    }

    #[inline]
    fn delay_ms(&mut self, ms: u32) {
        (&*self).delay_ms(ms);
    }
}

/// The same delay, for drivers that own their delay: you lend them the thread's token.
///
/// # Panics
/// If the thread holds a resource, or interrupts off.
impl embedded_hal::delay::DelayNs for &CurrentThread<'_> {
    #[inline]
    fn delay_ns(&mut self, ns: u32) {
        self.delay(ticks::<1_000_000_000>(ns));
    }

    #[inline]
    fn delay_us(&mut self, us: u32) {
        self.delay(ticks::<1_000_000>(us));
    }

    #[inline]
    fn delay_ms(&mut self, ms: u32) {
        self.delay(ticks::<1000>(ms));
    }
}

/// Lets the running thread wait for `ticks` ticks, at most [`LONGEST`], if time is counted. These
/// few instructions come before the assembly: a separate function would save a frame.
#[inline(always)]
fn sleep_for_ticks(ticks: u64) {
    let section = Section::begin();
    // SAFETY: the lock is held, and handed over.
    unsafe { sleep_within(ticks, section) };
}

/// Ends a section by a sleep.
///
/// # Safety
/// As for [`switch::sleep`], which begins with `section`.
#[inline(always)]
unsafe fn sleep_within(ticks: u64, section: Section) {
    let saved = section.into_saved();
    // SAFETY: the caller's, and the application knows whether it has ceilings.
    unsafe {
        if has_ceilings() {
            switch::sleep(ticks, saved);
        } else {
            switch::sleep_without_ceilings(ticks, saved);
        }
    }
}

/// Lets the running thread wait until the tick `deadline`, if time is counted.
#[inline(never)]
fn sleep_until_tick(deadline: u64) {
    let section = Section::begin();
    match deadline.saturating_sub(COUNTED.now()) {
        0 => section.end(),
        // SAFETY: the lock is held, and handed over.
        ticks => unsafe { sleep_within(ticks, section) },
    }
}

/// Lets the running thread wait until the clock shows `deadline`.
#[inline(never)]
fn sleep(deadline: u64) {
    let control = park::check_may_wait();
    let mut place = MaybeUninit::uninit();
    let node = Node::place(&mut place, deadline);
    // SAFETY: the node is this function's, and stays here until it has fired: only then does the
    // thread go on.
    unsafe { driver::arm_first(node, deadline, WakeTarget::no_thread_yet()) };
    let section = Section::begin();
    if node.is_armed(&section) {
        node.name_thread(control, &section);
        control.note_no_place();
        // SAFETY: it may wait; the timer makes it ready.
        unsafe { section.block() };
    } else {
        section.end();
    }
}
