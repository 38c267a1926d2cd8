//! DWT, ITM and FPB: the cycle counter, the console, the hardware breakpoints.
//!
//! Of the DWT, CYCCNT counts and the comparators watch addresses; the profiling counters only hold
//! written values, and comparators of data values or cycles match nothing. The simulator keeps the
//! bytes that software writes to the ITM's stimulus ports, and the tool shows them.

use super::mpu::Access;

/// DWT_CTRL.CYCCNTENA.
const CYCLE_COUNT_ENABLE: u32 = 1;
/// DWT_CTRL.NUMCOMP: four comparators.
const FOUR_COMPARATORS: u32 = 4 << 28;
/// DWT_FUNCTION.MATCHED.
const MATCHED: u32 = 1 << 24;
/// FP_CTRL: six instruction comparators, two literal comparators.
const BREAKPOINT_UNIT: u32 = 0x260;

/// Returns the event that a comparator's FUNCTION register gives to a match with an address; 0 for
/// the comparison of a data value (DATAVMATCH) or of the cycle counter (CYCMATCH).
fn event_function(function: u32) -> u32 {
    if function & (1 << 8 | 1 << 7) == 0 { function & 0xf } else { 0 }
}

/// The data watchpoint and trace unit.
#[derive(Clone, Debug, Default)]
pub struct Dwt {
    control: u32,
    enabled_by_trace: bool,
    /// CYCCNT at `since`.
    count: u32,
    since: u64,
    /// CPICNT, EXCCNT, SLEEPCNT, LSUCNT, FOLDCNT.
    counters: [u8; 5],
    /// COMP, MASK, FUNCTION of each comparator.
    comparators: [[u32; 3]; 4],
    /// A comparator makes debug events.
    armed: bool,
}

impl Dwt {
    /// CYCCNT as read at `cycle`.
    pub fn cycle_count(&self, cycle: u64) -> u32 {
        if self.counts() {
            self.count.wrapping_add(cycle.saturating_sub(self.since) as u32)
        } else {
            self.count
        }
    }

    fn counts(&self) -> bool {
        self.enabled_by_trace && self.control & CYCLE_COUNT_ENABLE != 0
    }

    /// DEMCR.TRCENA. While it is clear, the unit stands still.
    pub fn set_trace_enabled(&mut self, enabled: bool, cycle: u64) {
        self.hold(cycle);
        self.enabled_by_trace = enabled;
        self.plan();
    }

    /// Returns `true` if a comparator makes debug events.
    #[inline]
    pub fn is_armed(&self) -> bool {
        self.armed
    }

    fn plan(&mut self) {
        let watches = |comparator: &[u32; 3]| matches!(event_function(comparator[2]), 4..=7);
        self.armed = self.enabled_by_trace && self.comparators.iter().any(watches);
    }

    /// Returns `true` if a comparator makes a debug event of an access. Each comparator that does
    /// sets its MATCHED bit. The address of an access counts, not every byte of it; MASK makes the
    /// comparison approximate.
    pub fn matches(&mut self, address: u32, access: Access) -> bool {
        let mut any = false;
        for [compared, mask, function] in &mut self.comparators {
            let wanted = match access {
                Access::Execute => event_function(*function) == 4,
                Access::Read => matches!(event_function(*function), 5 | 7),
                Access::Write => matches!(event_function(*function), 6 | 7),
            };
            if wanted && (address ^ *compared) & u32::MAX << (*mask & 0x1f) == 0 {
                *function |= MATCHED;
                any = true;
            }
        }
        any
    }

    /// The side effect of reading a comparator's register: FUNCTION's MATCHED bit becomes 0.
    pub fn comparator_was_read(&mut self, offset: u32) {
        if offset & 0xc == 8 {
            self.comparators[(offset as usize - 0x20) / 16][2] &= !MATCHED;
        }
    }

    fn hold(&mut self, cycle: u64) {
        self.count = self.cycle_count(cycle);
        self.since = cycle;
    }

    /// Reads the register at `offset`.
    pub fn read(&self, offset: u32, cycle: u64) -> u32 {
        match offset {
            0x00 => self.control | FOUR_COMPARATORS,
            0x04 => self.cycle_count(cycle),
            0x08..=0x18 => u32::from(self.counters[(offset as usize - 0x08) / 4]),
            0x20..=0x5c if offset & 0xc != 0xc => {
                self.comparators[(offset as usize - 0x20) / 16][offset as usize % 16 / 4]
            }
            _ => 0,
        }
    }

    /// Writes the register at `offset`.
    pub fn write(&mut self, offset: u32, value: u32, cycle: u64) {
        match offset {
            0x00 => {
                self.hold(cycle);
                self.control = value & 0x007f_1fff;
            }
            0x04 => (self.count, self.since) = (value, cycle),
            0x08..=0x18 => self.counters[(offset as usize - 0x08) / 4] = value as u8,
            0x20..=0x5c if offset & 0xc != 0xc => {
                let kept = if offset & 0xc == 8 { value & !MATCHED } else { value };
                self.comparators[(offset as usize - 0x20) / 16][offset as usize % 16 / 4] = kept;
                self.plan();
            }
            _ => {}
        }
    }
}

/// The instrumentation trace macrocell: a console of 32 channels.
#[derive(Clone, Debug, Default)]
pub struct Itm {
    control: u32,
    enabled_ports: u32,
    privileged_ports: u32,
    output: Vec<(u8, u8)>,
}

impl Itm {
    /// Returns `true` if unprivileged code may write a stimulus port: ITM_TPR has one bit for eight
    /// ports.
    pub fn is_open_to_all(&self, port: u32) -> bool {
        self.privileged_ports >> (port / 8) & 1 == 0
    }

    /// Takes the bytes that software wrote since the last call: (port, byte).
    pub fn take_output(&mut self) -> Vec<(u8, u8)> {
        std::mem::take(&mut self.output)
    }

    /// Reads the register at `offset`.
    pub fn read(&self, offset: u32) -> u32 {
        match offset {
            0x000..=0x07c => 1, // The port's FIFO always has room.
            0xe00 => self.enabled_ports,
            0xe40 => self.privileged_ports,
            0xe80 => self.control,
            _ => 0,
        }
    }

    /// Writes `bytes` (1, 2 or 4) of the register at `offset`.
    pub fn write(&mut self, offset: u32, bytes: u32, value: u32) {
        match offset {
            0x000..=0x07f => {
                let port = offset / 4;
                if self.control & 1 != 0 && self.enabled_ports >> port & 1 != 0 {
                    let data = value.to_le_bytes();
                    self.output.extend(data[..bytes as usize].iter().map(|&b| (port as u8, b)));
                }
            }
            0xe00 => self.enabled_ports = value,
            0xe40 => self.privileged_ports = value & 0xf,
            0xe80 => self.control = value & 0x007f_0f1f,
            _ => {}
        }
    }
}

/// The flash patch and breakpoint unit.
#[derive(Clone, Debug, Default)]
pub struct Fpb {
    enabled: bool,
    remap: u32,
    comparators: [u32; 8],
}

impl Fpb {
    /// Returns `true` if any instruction breakpoint is set.
    pub fn is_armed(&self) -> bool {
        self.enabled && self.comparators[..6].iter().any(|comparator| comparator & 1 != 0)
    }

    /// Returns `true` if the halfword at `address` has a breakpoint (C1.11.5: REPLACE selects the
    /// halfword of the word).
    pub fn has_breakpoint(&self, address: u32) -> bool {
        let half = if address & 2 == 0 { 1 } else { 2 };
        self.enabled
            && self.comparators[..6].iter().any(|&comparator| {
                comparator & 1 != 0
                    && (comparator ^ address) & 0x1fff_fffc == 0
                    && address < 0x2000_0000
                    && comparator >> 30 & half != 0
            })
    }

    /// Reads the register at `offset`.
    pub fn read(&self, offset: u32) -> u32 {
        match offset {
            0x00 => BREAKPOINT_UNIT | u32::from(self.enabled),
            0x04 => self.remap,
            0x08..=0x24 => self.comparators[(offset as usize - 0x08) / 4],
            _ => 0,
        }
    }

    /// Writes the register at `offset`; FP_CTRL needs its KEY bit.
    pub fn write(&mut self, offset: u32, value: u32) {
        match offset {
            0x00 if value & 2 != 0 => self.enabled = value & 1 != 0,
            0x04 => self.remap = value & 0x3fff_ffe0,
            0x08..=0x24 => self.comparators[(offset as usize - 0x08) / 4] = value & 0xdfff_fffd,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cycle_counter_counts_only_when_enabled_by_both() {
        let mut dwt = Dwt::default();
        dwt.write(0x00, 1, 10);
        assert_eq!(dwt.read(0x04, 50), 0);
        dwt.set_trace_enabled(true, 100);
        assert_eq!(dwt.read(0x04, 150), 50);
        dwt.write(0x00, 0, 160);
        assert_eq!(dwt.read(0x04, 999), 60);
        dwt.write(0x04, 0xffff_fffe, 999);
        dwt.write(0x00, 1, 1000);
        assert_eq!(dwt.read(0x04, 1003), 1, "it wraps");
    }

    #[test]
    fn comparators_keep_their_values() {
        let mut dwt = Dwt::default();
        for offset in (0x20..0x60).step_by(4) {
            dwt.write(offset, offset * 3, 0);
        }
        assert_eq!(dwt.read(0x20, 0), 0x60);
        assert_eq!(dwt.read(0x58, 0), 0x58 * 3);
        assert_eq!(dwt.read(0x2c, 0), 0, "there is nothing between two comparators");
    }

    #[test]
    fn the_console_takes_bytes_of_enabled_ports_only() {
        let mut itm = Itm::default();
        itm.write(0, 1, u32::from(b'x'));
        itm.write(0xe80, 4, 1);
        itm.write(0xe00, 4, 0b10);
        itm.write(4, 4, u32::from_le_bytes(*b"abcd"));
        itm.write(4, 1, u32::from(b'e'));
        itm.write(8, 1, u32::from(b'y'));
        let text: Vec<u8> = itm.take_output().into_iter().map(|(_, byte)| byte).collect();
        assert_eq!(text, b"abcde");
        assert!(itm.take_output().is_empty());
    }

    #[test]
    fn breakpoints_select_halfwords() {
        let mut fpb = Fpb::default();
        fpb.write(0x08, 0x0800_0100 | 2 << 30 | 1);
        assert!(!fpb.is_armed());
        fpb.write(0x00, 3);
        assert!(fpb.is_armed());
        assert!(!fpb.has_breakpoint(0x0800_0100));
        assert!(fpb.has_breakpoint(0x0800_0102));
    }
}
