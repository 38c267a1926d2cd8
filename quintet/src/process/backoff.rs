//! The arithmetic of restart limits: the number of restarts, and the delay of each.

use embassy_time::{Duration, Instant};

/// A limit for the restarts of a process, by itself or by `Policy::Restart`, and their delays.
///
/// A *window* of time begins with the first restart after the window before. A window may contain a
/// given number of restarts; if the process wants one more, it is held off. The first restart of a
/// window comes after the delay. Each further restart comes after twice the delay of the one
/// before, up to the longest delay.
///
/// ```
/// use quintet::process::RestartLimit;
/// use quintet::time::Duration;
///
/// /// 3 restarts in a second: after 2, 4 and 5 ms.
/// const LIMIT: RestartLimit = RestartLimit::new(3, Duration::from_secs(1))
///     .after(Duration::from_millis(2))
///     .doubling_to(Duration::from_millis(5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestartLimit {
    times: u32,
    within: Duration,
    delay: Duration,
    longest: Duration,
}

/// The decision about a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    /// The restart may come now.
    Now,
    /// The restart may come after this delay.
    After(Duration),
    /// The process may not restart.
    Never,
}

/// The restarts of a process in the present window.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The time when the window began.
    began: Instant,
    /// The number of restarts in the window.
    count: u32,
}

impl RestartLimit {
    /// Allows `times` restarts in each window of the length `within`, without a delay. With 0
    /// `times`, no restart is allowed. A window of [`Duration::MAX`] never ends.
    #[must_use]
    pub const fn new(times: u32, within: Duration) -> Self {
        let none = Duration::from_ticks(0);
        Self { times, within, delay: none, longest: none }
    }

    /// Delays each restart by `delay`, from the moment at which the restart was wanted.
    #[must_use]
    pub const fn after(self, delay: Duration) -> Self {
        Self { delay, longest: delay, ..self }
    }

    /// Doubles the delay with each further restart in a window, up to `longest`.
    #[must_use]
    pub const fn doubling_to(self, longest: Duration) -> Self {
        Self { longest, ..self }
    }

    /// Notes that a restart is wanted now, in the present window or a new one.
    pub(super) fn count(&self, window: &mut Window, now: Instant) -> Backoff {
        let is_over = now.saturating_duration_since(window.began) >= self.within;
        if window.count == 0 || is_over && self.within != Duration::MAX {
            *window = Window { began: now, count: 0 };
        }
        if window.count >= self.times {
            return Backoff::Never;
        }
        let doubled = 1_u64.checked_shl(window.count).unwrap_or(u64::MAX);
        window.count += 1;
        let delay = self.delay.as_ticks().saturating_mul(doubled);
        match delay.min(self.longest.as_ticks().max(self.delay.as_ticks())) {
            0 => Backoff::Now,
            ticks => Backoff::After(Duration::from_ticks(ticks)),
        }
    }
}

impl Window {
    /// Makes a window without a restart.
    pub(super) const fn new() -> Self {
        Self { began: Instant::from_ticks(0), count: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{Backoff, Duration, Instant, RestartLimit, Window};

    fn after(ticks: u64) -> Backoff {
        Backoff::After(Duration::from_ticks(ticks))
    }

    fn counted(limit: RestartLimit, times: &[u64]) -> Vec<Backoff> {
        let mut window = Window::new();
        times.iter().map(|&at| limit.count(&mut window, Instant::from_ticks(at))).collect()
    }

    #[test]
    fn a_window_has_so_many_and_the_next_one_begins_with_the_next_restart() {
        let limit = RestartLimit::new(2, Duration::from_ticks(100));
        let expected = [Backoff::Now, Backoff::Now, Backoff::Never, Backoff::Now, Backoff::Now];
        assert_eq!(counted(limit, &[7, 20, 106, 107, 206]), expected);
        assert_eq!(counted(limit, &[7, 20, 106, 107, 206, 206])[5], Backoff::Never);
    }

    #[test]
    fn delays_double_up_to_the_longest_and_begin_anew_with_a_window() {
        let limit = RestartLimit::new(9, Duration::from_ticks(1000)).after(Duration::from_ticks(3));
        assert_eq!(counted(limit, &[0, 1, 2]), [after(3), after(3), after(3)]);
        let limit = limit.doubling_to(Duration::from_ticks(10));
        let expected = [after(3), after(6), after(10), after(10), after(3)];
        assert_eq!(counted(limit, &[0, 1, 2, 3, 1000]), expected);
    }

    #[test]
    fn none_and_for_ever() {
        let none = RestartLimit::new(0, Duration::from_ticks(1));
        assert_eq!(counted(none, &[0, 5]), [Backoff::Never; 2]);
        let once = RestartLimit::new(1, Duration::MAX);
        assert_eq!(counted(once, &[0, u64::MAX - 1]), [Backoff::Now, Backoff::Never]);
        let many = RestartLimit::new(u32::MAX, Duration::MAX).after(Duration::from_ticks(1));
        let longest = many.doubling_to(Duration::from_ticks(u64::MAX - 1));
        let mut window = Window::new();
        let delays: Vec<_> =
            (0..70).map(|_| longest.count(&mut window, Instant::from_ticks(0))).collect();
        assert_eq!(delays[1], after(2));
        assert_eq!(delays[69], after(u64::MAX - 1));
    }
}
