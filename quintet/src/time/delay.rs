//! Delays for drivers: [`Delay`] implements the traits of `embedded-hal` and `embedded-hal-async`.

use embassy_time::{Duration, Instant, TICK_HZ};

use super::timer::delay;

/// Waits, for drivers that are written over the traits of `embedded-hal`.
///
/// With `embedded_hal::delay::DelayNs` it waits busily, by looking at the clock: in every context,
/// with interrupts held off too (for less than half a second at 16 MHz, see
/// [`systick_timer`](crate::systick_timer)), and nothing else of the same or a lower priority runs.
/// But over a [tick](crate::systick_tick) time stands where its interrupt can't come, in `init` for
/// example or in a task that is as urgent: there the wait would never end.
/// With `embedded_hal_async::delay::DelayNs` the task is suspended; dropping the future cancels it.
///
/// Both wait at least as long as they are asked to, and at most two ticks of the clock longer (plus
/// what else runs). Short delays are thus as coarse as the clock is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay;

/// The ticks that last at least as long as `number` of which there are `RATE` in a second, from any
/// moment within a tick on.
#[inline(always)]
pub fn ticks<const RATE: u64>(number: u32) -> Duration {
    let whole = if RATE.is_multiple_of(TICK_HZ) && RATE / TICK_HZ <= u32::MAX as u64 {
        u64::from(number.div_ceil((RATE / TICK_HZ) as u32))
    } else {
        (u64::from(number) * TICK_HZ).div_ceil(RATE)
    };
    Duration::from_ticks(whole + 1)
}

/// Looks at the clock until `duration` has passed.
#[inline]
fn wait(duration: Duration) {
    let start = Instant::now().as_ticks();
    while Instant::now().as_ticks() - start < duration.as_ticks() {}
}

impl embedded_hal::delay::DelayNs for Delay {
    #[inline]
    fn delay_ns(&mut self, ns: u32) {
        wait(ticks::<1_000_000_000>(ns));
    }

    #[inline]
    fn delay_us(&mut self, us: u32) {
        wait(ticks::<1_000_000>(us));
    }

    #[inline]
    fn delay_ms(&mut self, ms: u32) {
        wait(ticks::<1000>(ms));
    }
}

impl embedded_hal_async::delay::DelayNs for Delay {
    #[inline]
    async fn delay_ns(&mut self, ns: u32) {
        delay(ticks::<1_000_000_000>(ns)).await;
    }

    #[inline]
    async fn delay_us(&mut self, us: u32) {
        delay(ticks::<1_000_000>(us)).await;
    }

    #[inline]
    async fn delay_ms(&mut self, ms: u32) {
        delay(ticks::<1000>(ms)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, TICK_HZ, ticks};

    #[test]
    fn ticks_are_enough_and_one_more() {
        assert_eq!(TICK_HZ, 1_000_000, "the rate of the tests");
        assert_eq!(ticks::<1_000_000_000>(0), Duration::from_ticks(1));
        assert_eq!(ticks::<1_000_000_000>(1), Duration::from_ticks(2));
        assert_eq!(ticks::<1_000_000_000>(1000), Duration::from_ticks(2));
        assert_eq!(ticks::<1_000_000_000>(1001), Duration::from_ticks(3));
        assert_eq!(ticks::<1_000_000_000>(u32::MAX), Duration::from_ticks(4_294_969));
        assert_eq!(ticks::<1_000_000>(7), Duration::from_ticks(8));
        assert_eq!(ticks::<1000>(u32::MAX), Duration::from_ticks(4_294_967_295_001));
    }
}
