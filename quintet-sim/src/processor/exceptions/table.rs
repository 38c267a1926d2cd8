//! The state of every exception: pending, active, enabled and its priority, one bit or byte each.
//!
//! The 16 system exceptions and the 240 interrupts share one numbering, as in IPSR, so that one
//! search finds the most urgent of all. The table keeps the result as the [`Candidate`]. Kernels
//! write the mask registers all the time, and such a write changes only the value with which the
//! candidate is compared.

use super::number::{FIRST_INTERRUPT, HARD_FAULT, MEM_MANAGE, NMI, PEND_SV, USAGE_FAULT};
use crate::processor::bus::Lines;
use crate::processor::{Architecture, Configuration};

/// The execution priority of thread mode without any mask: below every exception.
pub const PRIORITY_IDLE: i16 = 256;

/// A set of exception numbers 0 to 255.
pub type Set = [u32; 8];

/// The most urgent pending and enabled exception.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The exception's number; 0 if there is none.
    pub exception: u16,
    /// The exception's group priority, which decides about preemption.
    pub priority: i16,
}

impl Candidate {
    /// Nothing is pending.
    pub const NONE: Self = Self { exception: 0, priority: PRIORITY_IDLE };
}

/// All exceptions.
#[derive(Clone, Debug)]
pub struct Table {
    pending: Set,
    active: Set,
    enabled: Set,
    /// The exceptions that exist.
    present: Set,
    priority: [u8; 256],
    priority_mask: u8,
    subpriority_mask: u8,
    lines: Lines,
    candidate: Candidate,
    active_priority: i16,
    /// An exception has gone from inactive to pending since the last look, for SEVONPEND.
    newly_pended: bool,
    /// A debugger holds PendSV, SysTick and the interrupts off: DHCSR.C_MASKINTS.
    masked: bool,
}

fn contains(set: &Set, exception: u16) -> bool {
    set[usize::from(exception >> 5) & 7] >> (exception & 31) & 1 != 0
}

fn set_to(set: &mut Set, exception: u16, value: bool) {
    let bit = 1 << (exception & 31);
    let word = &mut set[usize::from(exception >> 5) & 7];
    *word = if value { *word | bit } else { *word & !bit };
}

/// Returns the part of `set` with the interrupts `32 * word` and up, as the NVIC's registers show
/// it.
fn interrupt_word(set: &Set, word: usize) -> u32 {
    let low = set[word] >> 16;
    let high = set.get(word + 1).map_or(0, |next| next << 16);
    low | high
}

/// Returns the places in a [`Set`] of the 32 interrupts of the NVIC's word `word`: two words.
fn spread(word: usize, bits: u32) -> [(usize, u32); 2] {
    [(word, bits << 16), (word + 1, bits >> 16)]
}

impl Table {
    /// The state after reset.
    pub fn new(configuration: &Configuration) -> Self {
        let mut present = Set::default();
        let system: &[u16] = match configuration.architecture {
            Architecture::V6M => &[2, 3, 11, 14, 15],
            Architecture::V7M | Architecture::V7EM | Architecture::V8M => {
                &[2, 3, 4, 5, 6, 11, 12, 14, 15]
            }
        };
        let interrupts = FIRST_INTERRUPT..FIRST_INTERRUPT + configuration.interrupts.min(240);
        for exception in system.iter().copied().chain(interrupts) {
            set_to(&mut present, exception, true);
        }
        let mut enabled = Set::default();
        for exception in [2, 3, 11, 12, 14, 15] {
            set_to(&mut enabled, exception, contains(&present, exception));
        }
        Self {
            pending: Set::default(),
            active: Set::default(),
            enabled,
            present,
            priority: [0; 256],
            priority_mask: configuration.priority_mask(),
            subpriority_mask: 1,
            lines: Lines::default(),
            candidate: Candidate::NONE,
            active_priority: PRIORITY_IDLE,
            newly_pended: false,
            masked: false,
        }
    }

    /// DHCSR.C_MASKINTS: from now on PendSV, SysTick and the interrupts stay pending, or not.
    pub fn set_masked(&mut self, masked: bool) {
        self.masked = masked;
        self.refresh();
    }

    /// DHCSR.C_MASKINTS.
    pub fn is_masked(&self) -> bool {
        self.masked
    }

    /// The most urgent pending and enabled exception.
    #[inline]
    pub fn candidate(&self) -> Candidate {
        self.candidate
    }

    /// The group priority of the most urgent active exception.
    #[inline]
    pub fn active_priority(&self) -> i16 {
        self.active_priority
    }

    /// Returns `true` if the exception exists on this processor.
    pub fn is_present(&self, exception: u16) -> bool {
        exception < 256 && contains(&self.present, exception)
    }

    /// Returns `true` if the exception is pending.
    pub fn is_pending(&self, exception: u16) -> bool {
        contains(&self.pending, exception)
    }

    /// Returns `true` if the exception is active.
    pub fn is_active(&self, exception: u16) -> bool {
        exception < 256 && contains(&self.active, exception)
    }

    /// Returns `true` if the exception is enabled.
    pub fn is_enabled(&self, exception: u16) -> bool {
        contains(&self.enabled, exception)
    }

    /// Returns the number of active exceptions.
    pub fn active_count(&self) -> u32 {
        self.active.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns `true` if an external interrupt is pending (ICSR.ISRPENDING).
    pub fn is_interrupt_pending(&self) -> bool {
        self.pending[0] >> 16 != 0 || self.pending[1..].iter().any(|&word| word != 0)
    }

    /// Returns the exception's priority with its subpriority (B1.5.4); lower is more urgent.
    #[inline]
    pub fn priority_of(&self, exception: u16) -> i16 {
        match exception {
            NMI => -2,
            HARD_FAULT => -1,
            _ => i16::from(self.priority[usize::from(exception) & 0xff]),
        }
    }

    /// The part of a priority that decides about preemption, by AIRCR.PRIGROUP.
    #[inline]
    pub fn group(&self, priority: i16) -> i16 {
        if priority < 0 { priority } else { priority & !i16::from(self.subpriority_mask) }
    }

    /// The group priority of an exception.
    pub fn group_priority_of(&self, exception: u16) -> i16 {
        self.group(self.priority_of(exception))
    }

    /// The priority byte of an exception, as its register shows it.
    pub fn priority_byte(&self, exception: u16) -> u8 {
        self.priority[usize::from(exception) & 0xff]
    }

    /// Writes an exception's priority byte; only the implemented bits stay.
    pub fn set_priority_byte(&mut self, exception: u16, value: u8) {
        if self.is_present(exception) && exception >= MEM_MANAGE {
            self.priority[usize::from(exception)] = value & self.priority_mask;
            self.refresh();
        }
    }

    /// AIRCR.PRIGROUP.
    pub fn set_priority_grouping(&mut self, group: u8) {
        self.subpriority_mask = ((2_u16 << (group & 7)) - 1) as u8;
        self.refresh();
    }

    /// Pends an exception, or takes that back.
    pub fn set_pending(&mut self, exception: u16, value: bool) {
        if self.is_present(exception) {
            self.newly_pended |= value && !contains(&self.pending, exception);
            set_to(&mut self.pending, exception, value);
            self.repend_lines();
            self.refresh();
        }
    }

    /// Makes an exception active or inactive without anything else (SHCSR, and entry from reset).
    pub fn set_active(&mut self, exception: u16, value: bool) {
        if self.is_present(exception) {
            set_to(&mut self.active, exception, value);
            self.repend_lines();
            self.refresh();
        }
    }

    /// SHCSR's enable bits.
    pub fn set_enabled(&mut self, exception: u16, value: bool) {
        debug_assert!((MEM_MANAGE..=USAGE_FAULT).contains(&exception));
        if self.is_present(exception) {
            set_to(&mut self.enabled, exception, value);
            self.refresh();
        }
    }

    /// The handler of `exception` begins: active, no more pending.
    pub fn activate(&mut self, exception: u16) {
        set_to(&mut self.pending, exception, false);
        set_to(&mut self.active, exception, true);
        self.repend_lines();
        self.refresh();
    }

    /// AIRCR.VECTCLRACTIVE.
    pub fn clear_active(&mut self) {
        self.active = Set::default();
        self.repend_lines();
        self.refresh();
    }

    /// The pending bits of interrupts `32 * word` and up.
    pub fn pending_word(&self, word: usize) -> u32 {
        interrupt_word(&self.pending, word)
    }

    /// The active bits of interrupts `32 * word` and up.
    pub fn active_word(&self, word: usize) -> u32 {
        interrupt_word(&self.active, word)
    }

    /// The enable bits of interrupts `32 * word` and up.
    pub fn enabled_word(&self, word: usize) -> u32 {
        interrupt_word(&self.enabled, word)
    }

    /// Pends, or takes back, the interrupts whose bits are set.
    pub fn write_pending_word(&mut self, word: usize, bits: u32, value: bool) {
        for (index, bits) in spread(word, bits) {
            let Some(&present) = self.present.get(index) else { continue };
            let bits = bits & present;
            self.newly_pended |= value && bits & !self.pending[index] != 0;
            self.pending[index] =
                if value { self.pending[index] | bits } else { self.pending[index] & !bits };
        }
        self.repend_lines();
        self.refresh();
    }

    /// Enables or disables the interrupts whose bits are set.
    pub fn write_enabled_word(&mut self, word: usize, bits: u32, value: bool) {
        for (index, bits) in spread(word, bits) {
            let Some(&present) = self.present.get(index) else { continue };
            let bits = bits & present;
            self.enabled[index] =
                if value { self.enabled[index] | bits } else { self.enabled[index] & !bits };
        }
        self.refresh();
    }

    /// The interrupt lines as last reported.
    pub fn lines(&self) -> Lines {
        self.lines
    }

    /// Takes over the interrupt lines. A rising line pends its interrupt. A line that stays high
    /// pends the interrupt again whenever it is not active (B3.4.1).
    pub fn set_lines(&mut self, lines: Lines) {
        if lines == self.lines && lines.level == [0; 8] {
            return;
        }
        let before = self.pending;
        for word in 0..8 {
            let rising = lines.level[word] & !self.lines.level[word];
            for (index, bits) in spread(word, rising) {
                if let Some(&present) = self.present.get(index) {
                    self.pending[index] |= bits & present;
                }
            }
        }
        self.lines = lines;
        self.repend_lines();
        if self.pending != before {
            self.newly_pended = true;
            self.refresh();
        }
    }

    /// Returns `true` if an exception has become pending since the last call.
    pub fn take_newly_pended(&mut self) -> bool {
        std::mem::take(&mut self.newly_pended)
    }

    /// A fault's exception can be taken at `execution_priority`: it exists, is enabled and
    /// preempts.
    pub fn can_preempt(&self, exception: u16, execution_priority: i16) -> bool {
        self.is_enabled(exception) && self.group_priority_of(exception) < execution_priority
    }

    fn repend_lines(&mut self) {
        for word in 0..8 {
            let level = self.lines.level[word];
            if level == 0 {
                continue;
            }
            for (index, bits) in spread(word, level) {
                if let Some(&present) = self.present.get(index) {
                    let bits = bits & present & !self.active[index];
                    self.newly_pended |= bits & !self.pending[index] != 0;
                    self.pending[index] |= bits;
                }
            }
        }
    }

    fn refresh(&mut self) {
        let mut best = (PRIORITY_IDLE, 0);
        for exception in (Members { set: &self.pending, filter: &self.enabled, word: 0, bits: 0 }) {
            if self.masked && exception >= PEND_SV {
                break;
            }
            let priority = self.priority_of(exception);
            if priority < best.0 {
                best = (priority, exception);
            }
        }
        self.candidate = if best.1 == 0 {
            Candidate::NONE
        } else {
            Candidate { exception: best.1, priority: self.group(best.0) }
        };
        let mut urgent = PRIORITY_IDLE;
        for exception in (Members { set: &self.active, filter: &self.active, word: 0, bits: 0 }) {
            urgent = urgent.min(self.group_priority_of(exception));
        }
        self.active_priority = urgent;
    }
}

/// The exceptions of a set that are also in a filter, in ascending order.
struct Members<'a> {
    set: &'a Set,
    filter: &'a Set,
    word: usize,
    bits: u32,
}

impl Iterator for Members<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        while self.bits == 0 {
            if self.word == 8 {
                return None;
            }
            self.bits = self.set[self.word] & self.filter[self.word];
            self.word += 1;
        }
        let exception = (self.word as u16 - 1) * 32 + self.bits.trailing_zeros() as u16;
        self.bits &= self.bits - 1;
        Some(exception)
    }
}
