//! Sources: a counter that never stops, and an interrupt when the counter reaches a value.
//!
//! The clock turns any source into 64-bit time at the tick rate of `embassy-time`. Quintet brings
//! SysTick ([`systick_timer`](crate::systick_timer)) and timers of some chips. To use another
//! timer, implement [`Source`] for it, and place your source with
//! [`timer_source`](crate::timer_source).

/// A hardware timer that counts up without end, modulo 2^32, and can interrupt when the counter
/// reaches a value.
///
/// You can widen a counter of fewer bits with [`widen`].
///
/// The counter must never stand still or go back (modulo 2^32); otherwise time is wrong, and timers
/// come early or late. If the counter counts the ticks of `embassy-time` themselves, it is the
/// clock's lower word. Time then begins with the counter's value at the start, which should be 0 or
/// little more.
pub trait Source: 'static {
    /// How many counts a second has.
    const HZ: u32;

    /// The longest time, in counts, that the driver asks [`set`](Self::set) for. The handler must
    /// run within another `LEG` counts after the interrupt has come. At most 2^30.
    const LEG: u32;

    /// Returns the counter. From any context.
    fn counter() -> u32;

    /// Returns the counter as [`counter`](Self::counter) does, or `None` if something disturbed the
    /// reading, such as the handler: then the caller reads again. For sources that would otherwise
    /// repeat the reading themselves. From any context.
    #[inline(always)]
    fn look() -> Option<u32> {
        Some(Self::counter())
    }

    /// Makes the interrupt come when the counter reaches `at`, or at once if the counter has
    /// reached `at` (or is about to). This replaces the time that was set before, unless that
    /// interrupt is about to come anyway.
    ///
    /// `at` is at most `LEG` ahead. `at` may be any time ago, with one exception: if the source
    /// counts the ticks of `embassy-time` themselves, `at` is at most a `LEG` ago, or the interrupt
    /// that was set before is due. Called under the kernel's lock, after the source has started.
    fn set(at: u32);

    /// Clears the flags that the hardware wants cleared when the interrupt's handler has been
    /// entered, and returns the counter. The handler begins with this call.
    fn acknowledge() -> u32;

    /// Does the work that the counter needs once in a `LEG` to stay right, and returns the counter.
    /// The handler calls this when it has more to do than fits into its time, so that no other
    /// method is called for long. Then the handler calls [`set`](Self::set).
    #[inline(always)]
    fn keep_up() -> u32 {
        Self::counter()
    }
}

/// Widens a counter of `BITS` bits to 32 bits. `near` is a widened value that is less than half a
/// round of the counter away.
#[inline(always)]
#[must_use]
pub const fn widen<const BITS: u32>(near: u32, counter: u32) -> u32 {
    let unused = 32 - BITS;
    let distance = (counter.wrapping_sub(near) << unused) as i32 >> unused;
    near.wrapping_add(distance as u32)
}
