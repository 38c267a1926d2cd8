//! The clock: 64-bit time in ticks of `embassy-time`, made of a 32-bit counter of any rate.
//!
//! The *base* is a moment with a known counter value, known ticks, and a known phase: the part of
//! the next tick that had passed. Each expiry moves the base to the present, with the exact
//! remainder. So nothing is ever rounded away: after any time the clock is right to the tick.
//!
//! ```text
//!   counter   ... ├────────────────────┤ now      counts since the base: below 2 x LEG
//!                 base
//!   ticks         ├──────────┬─────────┤          (phase + counts x T) / C, T ticks = C counts
//! ```
//!
//! Reading takes no lock and never waits, so that it works above the kernel's ceiling, too: two
//! copies of the base are written in turn, and a reader that a writer interrupted reads again.
//!
//! If a count is a tick, there is no base: the counter is the lower word of the ticks. The upper
//! word follows from the *halves*, the number of half rounds of the counter that have begun. A
//! reader may read the halves before or after the counter, and the halves may be one behind the
//! counter:
//!
//! ```text
//!   counter's bit 31     0 ────────── 1 ────────── 0 ────────── 1 ──────────
//!   halves               1 ┄┄┄┄┄┄┄┄┄┄ 2 ┄┄┄┄┄┄┄┄┄┄ 3 ┄┄┄┄┄┄┄┄┄┄ 4 ┄┄┄┄┄┄┄┄┄┄
//!   upper word           0            0            1            1              (halves - bit) / 2
//! ```

#![expect(unsafe_code, reason = "the copy that is written is not the one that is read")]

use ::core::cell::UnsafeCell;
use ::core::hint::cold_path;
use ::core::marker::PhantomData;
use ::core::sync::atomic::{AtomicU32, Ordering, compiler_fence};

use super::source::Source;
use super::timebase::Timebase;
use crate::core::lock::{KernelLock, kernel};
use crate::core::timer::Queue;

#[cfg(test)]
mod tests;

/// A moment.
pub struct Base<S> {
    /// Full ticks.
    ticks: u64,
    /// The source's counter.
    counter: u32,
    /// The part of the next tick that has passed, in units of which a tick has `C` and a count has
    /// `T`.
    phase: u32,
    source: PhantomData<fn() -> S>,
}

debug_by_name!([S] Base<S>: "Base");

impl<S> Clone for Base<S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Base<S> {}

/// Ticks of a source.
pub struct Clock<S> {
    /// How often the base has moved. If odd, the second copy is valid. Or the number of halves. 0:
    /// the source has not started.
    moves: AtomicU32,
    bases: [UnsafeCell<Base<S>>; 2],
}

debug_by_name!([S] Clock<S>: "Clock");

// SAFETY: one context moves the base (`advance` demands it), others copy the valid one and look
// whether it was valid throughout.
unsafe impl<S> Sync for Clock<S> {}

/// The greatest common divisor.
const fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

impl<S: Source> Base<S> {
    /// Ticks in a second.
    const TICK_HZ: u64 = embassy_time_driver::TICK_HZ;
    const DIVISOR: u64 = common_divisor(S::HZ as u64, Self::TICK_HZ);
    /// `T` ticks are exactly `C` counts.
    const T: u64 = Self::TICK_HZ / Self::DIVISOR;
    /// `T` ticks are exactly `C` counts.
    const C: u64 = S::HZ as u64 / Self::DIVISOR;
    /// `true` if 32 bits hold every product: multiplications and divisions are then one instruction
    /// or a few.
    const SHORT: bool = 2 * S::LEG as u64 * Self::T + Self::C <= u32::MAX as u64;
    /// `true` if the counter is the lower word of the ticks.
    pub const SAME: bool = Self::T == 1 && Self::C == 1;
    /// The ticks that pass at least in `LEG` counts.
    pub const LEG_TICKS: u64 = S::LEG as u64 * Self::T / Self::C;

    const CHECKED: () = {
        assert!(
            S::HZ as u64 >= Self::TICK_HZ,
            "the time source is slower than embassy-time's ticks: select a lower tick rate with a \
             feature `tick-hz-...` of the crate embassy-time"
        );
        assert!(S::LEG <= 1 << 30, "a time source's LEG is at most 2^30");
        assert!(
            Self::LEG_TICKS > 0,
            "the time source's LEG is shorter than a tick: select a higher tick rate with a \
             feature `tick-hz-...` of the crate embassy-time, or a slower clock"
        );
    };

    /// Returns the counter's first value at which the clock shows `deadline`: the value of the base
    /// if the deadline has passed, and at most a `LEG` after it. (Then the handler moves the base
    /// and asks again.) If a count is a tick, returns the counter's value at `deadline`, however
    /// late that is.
    #[inline(always)]
    pub fn counter_at(self, deadline: u64) -> u32 {
        if Self::SAME {
            return deadline as u32;
        }
        let ticks = deadline.saturating_sub(self.ticks);
        if ticks > Self::LEG_TICKS {
            return self.counter.wrapping_add(S::LEG);
        }
        let counts = if Self::SHORT {
            let (ticks, one, ratio) = (ticks as u32, Self::T as u32, Self::C as u32);
            (ticks * ratio).saturating_sub(self.phase).div_ceil(one)
        } else {
            (ticks * Self::C).saturating_sub(u64::from(self.phase)).div_ceil(Self::T) as u32
        };
        self.counter.wrapping_add(counts)
    }

    /// Returns the ticks at `counter`, if the counter is their lower word.
    #[inline(always)]
    fn extended(halves: u32, counter: u32) -> u64 {
        u64::from((halves - (counter >> 31)) >> 1) << 32 | u64::from(counter)
    }

    /// Returns the full ticks at `counter`, and the part of the next tick that has passed.
    #[inline(always)]
    fn split(self, counter: u32) -> (u64, u32) {
        let counts = counter.wrapping_sub(self.counter);
        let (ticks, phase) = if Self::SHORT {
            let units = self.phase + counts * Self::T as u32;
            let ratio = Self::C as u32;
            (u64::from(units / ratio), units % ratio)
        } else {
            let units = u64::from(self.phase) + u64::from(counts) * Self::T;
            (units / Self::C, (units % Self::C) as u32)
        };
        (self.ticks + ticks, phase)
    }
}

impl<S: Source> Timebase for Clock<S> {
    /// The counter's value. If a count is a tick, the queue's alarm has this value.
    type Setting = u32;
    const IS_COUNTED: bool = false;

    #[inline(always)]
    fn now(&self) -> u64 {
        Self::now(self)
    }

    unsafe fn begin(&self) {
        // SAFETY: the caller's.
        unsafe { self.begin() };
        let now = S::counter();
        kernel(|_| S::set(now));
    }

    #[inline(always)]
    fn setting(&self, deadline: u64) -> u32 {
        self.base().counter_at(deadline)
    }

    #[inline(always)]
    fn lower(&self, kernel: &KernelLock<'_>, queue: &Queue, deadline: u64, at: u32) {
        if let Some(low) = queue.lower_alarm(kernel, deadline, S::LEG) {
            // The alarm was no more than a leg ahead of the handler that has set it: what is
            // earlier by more is past, as is the time a leg before it.
            S::set(if Base::<S>::SAME { low } else { at });
        }
    }

    unsafe fn keep_up(&self) {
        // SAFETY: the caller's: the handler is one context, and doesn't nest.
        let _ = unsafe { self.refresh(S::keep_up()) };
    }
}

impl<S: Source> Clock<S> {
    /// Returns the clock of a source that has not started: the clock shows 0.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it is for a static")]
    pub const fn new() -> Self {
        const { Base::<S>::CHECKED };
        let start = Base { ticks: 0, counter: 0, phase: 0, source: PhantomData };
        Self { moves: AtomicU32::new(0), bases: [UnsafeCell::new(start), UnsafeCell::new(start)] }
    }

    /// Begins to tick.
    ///
    /// # Safety
    /// Called once; the source has started, and its interrupt doesn't run yet.
    pub unsafe fn begin(&self) {
        let counter = S::counter();
        if Base::<S>::SAME {
            return self.moves.store(1 + (counter >> 31), Ordering::Relaxed);
        }
        let base = Base { ticks: 0, counter, phase: 0, source: PhantomData };
        // SAFETY: nobody reads the second copy before the store below, and no other context writes.
        unsafe { *self.copy(1).get() = base };
        compiler_fence(Ordering::Release);
        self.moves.store(1, Ordering::Relaxed);
    }

    /// Returns the present, in ticks. From any context. Takes at most two divisions, usually one of
    /// 32 bits.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        if Base::<S>::SAME {
            return self.now_by_halves();
        }
        loop {
            let (base, moves) = self.copy_base();
            // The counter of a source that has not started is not to be touched.
            let counter = if moves == 0 { base.counter } else { S::counter() };
            compiler_fence(Ordering::Acquire);
            if self.moves.load(Ordering::Relaxed) == moves {
                return base.split(counter).0;
            }
        }
    }

    /// As `now`, if the counter is the lower word of the ticks.
    #[inline(always)]
    fn now_by_halves(&self) -> u64 {
        loop {
            let halves = self.moves.load(Ordering::Relaxed);
            if halves == 0 {
                return 0;
            }
            let counter = S::look();
            compiler_fence(Ordering::Acquire);
            // Whoever was held up in between for long has halves that are too old.
            if let Some(counter) = counter
                && self.moves.load(Ordering::Relaxed) == halves
            {
                return Base::<S>::extended(halves, counter);
            }
        }
    }

    /// Returns a moment that is at most a `LEG` ago (plus the delay of the handler). From any
    /// context.
    #[inline(always)]
    pub fn base(&self) -> Base<S> {
        if Base::<S>::SAME {
            // Nothing of it is used.
            return Base { ticks: 0, counter: 0, phase: 0, source: PhantomData };
        }
        loop {
            let (base, moves) = self.copy_base();
            if self.moves.load(Ordering::Relaxed) == moves {
                return base;
            }
        }
    }

    /// Lets the source interrupt at `next`, which the handler has made the queue's alarm. `base` is
    /// recent enough for `next`.
    #[inline(always)]
    pub fn set(queue: &Queue, base: Base<S>, next: u64) {
        let at = base.counter_at(next);
        kernel(|token| {
            // If somebody has lowered the alarm since, they have set the source.
            if queue.is_alarm(token, next) {
                S::set(at);
            }
        });
    }

    /// If the base is an eighth of a `LEG` old, moves the base to the present, at which the counter
    /// is `counter`. Returns the base, and the present in ticks.
    ///
    /// # Safety
    /// Only one context calls this, and never interrupts itself. The clock has begun.
    #[inline(always)]
    pub unsafe fn refresh(&self, counter: u32) -> (Base<S>, u64) {
        if Base::<S>::SAME {
            return (self.base(), self.refresh_halves(counter));
        }
        // Nobody else moves the base: there is no need to look whether it has moved.
        let (base, moves) = self.copy_base();
        let (ticks, phase) = base.split(counter);
        if counter.wrapping_sub(base.counter) < S::LEG / 8 {
            return (base, ticks);
        }
        let moved = Base { ticks, counter, phase, source: PhantomData };
        // 0 is for a clock that has not begun: skip it and its parity.
        let moves = moves.checked_add(1).unwrap_or(2);
        // SAFETY: readers use the other copy until the store below, and no other context writes.
        unsafe { *self.copy(moves).get() = moved };
        compiler_fence(Ordering::Release);
        self.moves.store(moves, Ordering::Relaxed);
        (moved, ticks)
    }

    /// Counts a half, if one has begun since the last time. Returns the present in ticks.
    #[inline(always)]
    fn refresh_halves(&self, counter: u32) -> u64 {
        let halves = self.moves.load(Ordering::Relaxed);
        // In the first half of a round they are odd, in the second even.
        if (halves ^ counter >> 31) & 1 == 0 {
            cold_path();
            self.moves.store(halves + 1, Ordering::Relaxed);
        }
        Base::<S>::extended(halves, counter)
    }

    /// Returns a copy of the base, and the number of moves for which the copy is valid.
    #[inline(always)]
    fn copy_base(&self) -> (Base<S>, u32) {
        let moves = self.moves.load(Ordering::Relaxed);
        compiler_fence(Ordering::Acquire);
        // SAFETY: this copy is not written before the base has moved, which callers look for; then
        // they don't use it. (Reading volatile: it may be torn, and is plain data.)
        let base = unsafe { self.copy(moves).get().read_volatile() };
        compiler_fence(Ordering::Acquire);
        (base, moves)
    }

    /// Returns the copy that is valid after that many moves.
    #[inline(always)]
    fn copy(&self, moves: u32) -> &UnsafeCell<Base<S>> {
        // In bounds, without a check that the compiler would have to remove.
        if moves & 1 == 0 { &self.bases[0] } else { &self.bases[1] }
    }
}
