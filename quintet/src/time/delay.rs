//! Delays for drivers: [`Delay`] implements the traits of `embedded-hal` and `embedded-hal-async`.

use embassy_time::{Duration, Instant, TICK_HZ};

use super::timer::delay;

/// A delay for drivers that are written for the traits of `embedded-hal`.
///
/// `embedded_hal::delay::DelayNs` waits busily, by reading the clock. You may use it in every
/// context, even with interrupts held off (for less than half a second at 16 MHz, see
/// [`systick_timer`](crate::systick_timer)), but no other code of the same or a lower priority runs
/// meanwhile. Over a [tick](crate::systick_tick), time stands still where the tick's interrupt
/// can't run, for example in `init`, or in a task that is as urgent: there the wait would never
/// end.
///
/// `embedded_hal_async::delay::DelayNs` suspends the task. If you drop the future, the delay is
/// cancelled.
///
/// Both wait at least for the requested time, and at most two ticks of the clock longer (plus the
/// time that other code runs). So a short delay is as coarse as the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay;

/// Returns the ticks that last at least as long as `number` units, of which a second has `RATE`,
/// from any moment within a tick on.
#[inline(always)]
pub fn ticks<const RATE: u64>(number: u32) -> Duration {
    let whole = if RATE.is_multiple_of(TICK_HZ) && RATE / TICK_HZ <= u32::MAX as u64 {
        u64::from(number.div_ceil((RATE / TICK_HZ) as u32))
    } else {
        (u64::from(number) * TICK_HZ).div_ceil(RATE)
    };
    Duration::from_ticks(whole + 1)
}

/// Reads the clock until `duration` has passed.
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
