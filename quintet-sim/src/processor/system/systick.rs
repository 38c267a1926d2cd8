//! SysTick, the 24-bit down counter (B3.3), computed from the cycle and never ticked.
//!
//! The counter is stored as its value at one cycle, the anchor. Arithmetic gives the value at any
//! later cycle, and the cycle of the next 0.

/// CSR.ENABLE.
const ENABLE: u32 = 1;
/// CSR.TICKINT.
const INTERRUPT: u32 = 1 << 1;
/// CSR.CLKSOURCE: the processor's clock instead of the reference.
const PROCESSOR_CLOCK: u32 = 1 << 2;
/// CSR.COUNTFLAG.
const COUNTED: u32 = 1 << 16;
/// The counter has 24 bits.
const COUNTER_MASK: u32 = 0x00ff_ffff;

/// The timer.
#[derive(Clone, Debug)]
pub struct SysTick {
    control: u32,
    reload: u32,
    calibration: u32,
    /// Processor cycles per reference clock; 0 if there is none.
    reference_divider: u32,
    anchor_cycle: u64,
    anchor_value: u32,
    count_flag: bool,
    /// The cycle of the next transition from 1 to 0, `u64::MAX` when there is none.
    next_zero: u64,
}

impl SysTick {
    /// The timer after reset.
    pub fn new(reference_divider: u32, calibration: u32) -> Self {
        let no_reference = if reference_divider == 0 { 1 << 31 } else { 0 };
        Self {
            control: if reference_divider == 0 { PROCESSOR_CLOCK } else { 0 },
            reload: 0,
            calibration: calibration | no_reference,
            reference_divider,
            anchor_cycle: 0,
            anchor_value: 0,
            count_flag: false,
            next_zero: u64::MAX,
        }
    }

    /// Returns the cycle in which the exception is next pended; `u64::MAX` if there is none.
    #[inline]
    pub fn next_event(&self) -> u64 {
        if self.control & INTERRUPT != 0 { self.next_zero } else { u64::MAX }
    }

    /// Brings the timer up to `cycle`. Returns `true` if the timer has pended its exception since
    /// the last call.
    pub fn advance(&mut self, cycle: u64) -> bool {
        if cycle < self.next_zero {
            return false;
        }
        self.anchor(cycle);
        self.control & INTERRUPT != 0
    }

    /// Returns SYST_CSR, without the side effect of reading it.
    pub fn control(&self, cycle: u64) -> u32 {
        let counted = self.count_flag || cycle >= self.next_zero;
        self.control | if counted { COUNTED } else { 0 }
    }

    /// The side effect of reading SYST_CSR: COUNTFLAG becomes 0. Returns as [`SysTick::advance`].
    pub fn control_was_read(&mut self, cycle: u64) -> bool {
        let pended = self.advance(cycle);
        self.count_flag = false;
        pended
    }

    /// Writes SYST_CSR.
    pub fn set_control(&mut self, value: u32, cycle: u64) {
        self.anchor(cycle);
        let fixed = if self.reference_divider == 0 { PROCESSOR_CLOCK } else { 0 };
        self.control = value & (ENABLE | INTERRUPT | PROCESSOR_CLOCK) | fixed;
        self.plan();
    }

    /// SYST_RVR.
    pub fn reload(&self) -> u32 {
        self.reload
    }

    /// Writes SYST_RVR. The counter loads this value when it next wraps.
    pub fn set_reload(&mut self, value: u32, cycle: u64) {
        self.anchor(cycle);
        self.reload = value & COUNTER_MASK;
        self.plan();
    }

    /// SYST_CVR.
    pub fn current(&self, cycle: u64) -> u32 {
        let ticks = self.ticks(cycle);
        let value = u64::from(self.anchor_value);
        if ticks <= value {
            (value - ticks) as u32
        } else {
            let period = u64::from(self.reload) + 1;
            self.reload - ((ticks - value - 1) % period) as u32
        }
    }

    /// Writes SYST_CVR: any value clears the counter and COUNTFLAG, and pends nothing.
    pub fn clear_current(&mut self, cycle: u64) {
        self.anchor(cycle);
        self.anchor_value = 0;
        self.count_flag = false;
        self.plan();
    }

    /// SYST_CALIB.
    pub fn calibration(&self) -> u32 {
        self.calibration
    }

    fn divider(&self) -> u64 {
        if self.control & PROCESSOR_CLOCK != 0 {
            1
        } else {
            u64::from(self.reference_divider).max(1)
        }
    }

    fn ticks(&self, cycle: u64) -> u64 {
        if self.control & ENABLE == 0 {
            0
        } else {
            cycle.saturating_sub(self.anchor_cycle) / self.divider()
        }
    }

    /// Moves the anchor to `cycle`, keeping the phase of a divided clock, and notes a zero that was
    /// passed.
    fn anchor(&mut self, cycle: u64) {
        let (ticks, value) = (self.ticks(cycle), self.current(cycle));
        self.count_flag |= cycle >= self.next_zero;
        let phase = ticks * self.divider();
        self.anchor_cycle =
            if self.control & ENABLE == 0 { cycle } else { self.anchor_cycle + phase };
        self.anchor_value = value;
        self.plan();
    }

    fn plan(&mut self) {
        let ticks = match (self.control & ENABLE, self.anchor_value, self.reload) {
            (0, _, _) | (_, 0, 0) => None,
            (_, 0, reload) => Some(u64::from(reload) + 1),
            (_, value, _) => Some(u64::from(value)),
        };
        self.next_zero = ticks.map_or(u64::MAX, |ticks| self.anchor_cycle + ticks * self.divider());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(reload: u32, control: u32) -> SysTick {
        let mut timer = SysTick::new(0, 0);
        timer.set_reload(reload, 0);
        timer.clear_current(0);
        timer.set_control(control, 100);
        timer
    }

    #[test]
    fn counts_down_from_the_reload_value_and_wraps() {
        let timer = started(3, ENABLE);
        let values: Vec<u32> = (100..110).map(|cycle| timer.current(cycle)).collect();
        assert_eq!(values, [0, 3, 2, 1, 0, 3, 2, 1, 0, 3]);
    }

    #[test]
    fn pends_each_time_it_reaches_zero() {
        let mut timer = started(3, ENABLE | INTERRUPT);
        assert_eq!(timer.next_event(), 104);
        assert!(!timer.advance(103));
        assert!(timer.advance(104));
        assert!(!timer.advance(105));
        assert_eq!(timer.next_event(), 108);
        assert!(timer.advance(1001));
        assert_eq!(timer.next_event(), 1004);
    }

    #[test]
    fn the_count_flag_is_cleared_by_reading_and_by_writing_the_counter() {
        let mut timer = started(3, ENABLE);
        assert_eq!(timer.control(103) & COUNTED, 0);
        assert_eq!(timer.control(104) & COUNTED, COUNTED);
        assert!(!timer.control_was_read(104), "no interrupt was asked for");
        assert_eq!(timer.control(105) & COUNTED, 0);
        assert_eq!(timer.control(108) & COUNTED, COUNTED);
        timer.clear_current(109);
        assert_eq!(timer.control(109) & COUNTED, 0);
        assert_eq!(timer.current(109), 0);
        assert_eq!(timer.current(110), 3);
    }

    #[test]
    fn a_reload_value_of_zero_stops_it_at_zero() {
        let mut timer = started(3, ENABLE | INTERRUPT);
        timer.set_reload(0, 101);
        assert_eq!(timer.current(101), 3);
        assert_eq!(timer.next_event(), 104);
        assert!(timer.advance(104));
        assert_eq!(timer.current(1000), 0);
        assert_eq!(timer.next_event(), u64::MAX);
    }

    #[test]
    fn the_reference_clock_divides() {
        let mut timer = SysTick::new(8, 0);
        timer.set_reload(9, 0);
        timer.set_control(ENABLE | INTERRUPT, 0);
        assert_eq!(timer.next_event(), 80);
        assert_eq!(timer.current(8), 9);
        assert_eq!(timer.current(15), 9);
        timer.set_reload(9, 15);
        assert_eq!(timer.current(16), 8, "an unrelated write keeps the phase");
        assert_eq!(timer.calibration() >> 31, 0);
    }

    #[test]
    fn stands_still_while_disabled() {
        let mut timer = started(100, ENABLE);
        timer.set_control(0, 111);
        assert_eq!(timer.current(111), 90);
        assert_eq!(timer.current(500), 90);
        timer.set_control(ENABLE, 500);
        assert_eq!(timer.current(510), 80);
    }
}
