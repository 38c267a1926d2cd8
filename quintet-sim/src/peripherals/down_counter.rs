//! A counter that counts down to zero, stays there for one tick, and starts again or stops.
//!
//! The core of the CMSDK timers, the Stellaris timers and the watchdogs. The counter computes its
//! value from the cycle, so nothing is done per tick. From `reload` to the next zero and back takes
//! `reload + 1` ticks.

/// The counter.
#[derive(Clone, Debug)]
pub struct DownCounter {
    /// The value at `since`.
    value: u64,
    /// The cycle of the last change by software, or of the last expiry.
    since: u64,
    /// Cycles in a tick, at least 1.
    divider: u64,
    running: bool,
    /// The value after zero; `None` if the counter stops at zero.
    reload: Option<u64>,
}

impl DownCounter {
    /// A stopped counter.
    pub fn new(value: u64) -> Self {
        Self { value, since: 0, divider: 1, running: false, reload: None }
    }

    /// The value in `cycle`.
    pub fn value(&self, cycle: u64) -> u64 {
        let ticks = self.ticks(cycle);
        match (ticks.checked_sub(self.value), self.reload) {
            (None | Some(0), _) => self.value - ticks,
            (Some(_), None | Some(0)) => 0,
            (Some(beyond), Some(reload)) => reload - (beyond - 1) % (reload + 1),
        }
    }

    /// Counts on from `value`.
    pub fn set_value(&mut self, value: u64, cycle: u64) {
        self.value = value;
        self.since = cycle;
    }

    /// Sets the value after zero.
    pub fn set_reload(&mut self, reload: Option<u64>, cycle: u64) {
        self.settle(cycle);
        self.reload = reload;
    }

    /// Sets the cycles in a tick.
    pub fn set_divider(&mut self, divider: u64, cycle: u64) {
        self.settle(cycle);
        self.divider = divider.max(1);
    }

    /// Starts or stops the counter.
    pub fn run(&mut self, running: bool, cycle: u64) {
        if running != self.running {
            self.settle(cycle);
            self.since = cycle;
            self.running = running;
        }
    }

    /// Returns `true` if the counter runs. A one-shot counter that has expired does not.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Lets time pass up to `cycle`. Returns `true` if the counter reached zero in this time,
    /// however often.
    pub fn advance(&mut self, cycle: u64) -> bool {
        if cycle < self.next_zero() {
            return false;
        }
        let value = self.value(cycle);
        if self.reload.is_none() {
            self.running = false;
        }
        self.rebase(value, cycle);
        true
    }

    /// Returns the cycle of the next zero; `u64::MAX` if there is none.
    pub fn next_zero(&self) -> u64 {
        let ticks = match (self.running, self.value, self.reload) {
            (true, 0, Some(reload)) if reload > 0 => reload + 1,
            (true, value, _) if value > 0 => value,
            _ => return u64::MAX,
        };
        self.since.saturating_add(ticks.saturating_mul(self.divider))
    }

    fn ticks(&self, cycle: u64) -> u64 {
        if self.running { cycle.saturating_sub(self.since) / self.divider } else { 0 }
    }

    /// Makes `cycle` the base, keeping the phase within the tick.
    fn settle(&mut self, cycle: u64) {
        let value = self.value(cycle);
        self.rebase(value, cycle);
    }

    fn rebase(&mut self, value: u64, cycle: u64) {
        let whole = self.ticks(cycle) * self.divider;
        self.since = if self.running { self.since + whole } else { cycle };
        self.value = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(value: u64, reload: Option<u64>, divider: u64) -> DownCounter {
        let mut counter = DownCounter::new(0);
        counter.set_divider(divider, 0);
        counter.set_reload(reload, 0);
        counter.set_value(value, 100);
        counter.run(true, 100);
        counter
    }

    #[test]
    fn counts_every_tick_and_reloads_after_zero() {
        let counter = running(3, Some(3), 1);
        let values: Vec<u64> = (100..109).map(|cycle| counter.value(cycle)).collect();
        assert_eq!(values, [3, 2, 1, 0, 3, 2, 1, 0, 3]);
    }

    #[test]
    fn advancing_in_any_steps_sees_the_same_expiries() {
        for divider in [1, 4] {
            let mut fine = running(5, Some(2), divider);
            let mut expiries = Vec::new();
            for cycle in 100..200 {
                if fine.advance(cycle) {
                    expiries.push(cycle);
                }
            }
            let mut coarse = running(5, Some(2), divider);
            let mut jumps = Vec::new();
            while coarse.next_zero() < 200 {
                jumps.push(coarse.next_zero());
                assert!(coarse.advance(coarse.next_zero()));
            }
            assert_eq!(expiries, jumps);
            assert_eq!(jumps[1] - jumps[0], 3 * divider);
            assert_eq!(fine.value(199), coarse.value(199));
        }
    }

    #[test]
    fn a_one_shot_stops_at_zero() {
        let mut counter = running(3, None, 1);
        assert!(counter.advance(1000));
        assert!(!counter.is_running());
        assert_eq!((counter.value(2000), counter.next_zero()), (0, u64::MAX));
    }

    #[test]
    fn stopping_keeps_the_value() {
        let mut counter = running(10, Some(10), 1);
        counter.run(false, 104);
        assert_eq!(counter.value(500), 6);
        counter.run(true, 500);
        assert_eq!(counter.value(501), 5);
    }

    #[test]
    fn a_reload_of_zero_expires_no_more() {
        let mut counter = running(1, Some(0), 1);
        assert!(counter.advance(101));
        assert!(!counter.advance(u64::MAX - 1));
        assert_eq!(counter.next_zero(), u64::MAX);
    }
}
