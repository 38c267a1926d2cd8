//! Sources: a counter that never stops, and an interrupt when it reaches a value.
//!
//! The clock makes 64 bits and the tick rate of `embassy-time` of any source. Quintet brings
//! SysTick ([`systick_timer`](crate::systick_timer)) and timers of some chips; another one is an
//! implementation of [`Source`], placed with [`timer_source`](crate::timer_source).

/// A hardware timer: it counts up without end, modulo 2^32, and can interrupt when it reaches a
/// value.
///
/// A counter of fewer bits can be widened with [`widen`].
///
/// The counter never stands still or goes back (modulo 2^32); otherwise time is wrong, and timers
/// come early or late. Where it counts the ticks of `embassy-time` themselves, it is the clock's
/// lower word: time begins with what it shows at the start, which should be 0 or little more.
pub trait Source: 'static {
    /// How often it counts in a second.
    const HZ: u32;

    /// The longest time, in counts, that [`set`](Self::set) can be asked for. The handler has to
    /// run within another `LEG` counts after the interrupt has come. At most 2^30.
    const LEG: u32;

    /// The counter. From any context.
    fn counter() -> u32;

    /// The counter, as [`counter`](Self::counter) has it; none if the look at it was disturbed, by
    /// the handler for example: whoever asks then asks again. For sources that would repeat the
    /// look themselves. From any context.
    #[inline(always)]
    fn look() -> Option<u32> {
        Some(Self::counter())
    }

    /// Makes the interrupt come when the counter reaches `at`: at once if it has (or is about to),
    /// and instead of what was set before, unless that is about to come anyway.
    ///
    /// `at` is at most `LEG` ahead. It may be any time ago; if the source counts the ticks of
    /// `embassy-time` themselves, it is at most a `LEG` ago, or the interrupt that was set before
    /// is due. Called under the kernel's lock, when the source has started.
    fn set(at: u32);

    /// Clears what the hardware wants to be cleared when the interrupt's handler has been entered,
    /// and returns the counter. First thing in the handler.
    fn acknowledge() -> u32;

    /// Does what has to be done once in a `LEG` for the counter to stay right, and returns that.
    /// Called within the handler where that has more to do than in time, so that nothing else of
    /// this is called for long; then comes [`set`](Self::set).
    #[inline(always)]
    fn keep_up() -> u32 {
        Self::counter()
    }
}

/// Widens a counter of `BITS` bits to 32: `near` is a widened value that is less than half a round
/// of the counter away.
#[inline(always)]
#[must_use]
pub const fn widen<const BITS: u32>(near: u32, counter: u32) -> u32 {
    let unused = 32 - BITS;
    let distance = (counter.wrapping_sub(near) << unused) as i32 >> unused;
    near.wrapping_add(distance as u32)
}
