//! Registers that a board file describes. They are for parts of a chip that start-up code sets up
//! or waits for, and whose work nothing models.
//!
//! A register remembers the written value. A description adds the hardware's effects: bits that
//! follow other bits (a clock is ready some time after it was enabled), bits that a read or a
//! written 1 clears, constants, registers that set or clear the bits of another one, and bits that
//! interrupt.
//!
//! ```text
//!  write ──> writable bits ──> word ──> read            one_clears, read_clears: back to 0
//!                               │ source bits
//!                               └── after_us ──> bits that follow (inverted, decoded or latched)
//! ```

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Device, Setup};
use crate::processor::bus::BusError;

/// A register, as a board file describes it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RegisterDescription {
    /// The register's place in the device, in bytes.
    pub offset: u32,
    /// The register's name in messages.
    #[serde(default)]
    pub name: Option<String>,
    /// The number of registers like this one, a word apart.
    #[serde(default = "one")]
    pub count: u32,
    /// The register's value after a reset.
    #[serde(default)]
    pub reset: Option<u32>,
    /// The bits that remember a written value; all without this field.
    #[serde(default)]
    pub writable: Option<u32>,
    /// The register's value, which never changes.
    #[serde(default)]
    pub constant: Option<u32>,
    /// The bits that are 0 after a read.
    #[serde(default)]
    pub read_clears: u32,
    /// The bits that a written 1 clears, and a written 0 leaves.
    #[serde(default)]
    pub one_clears: u32,
    /// The bits that are 0 again after a write. Bits that follow them see the 1.
    #[serde(default)]
    pub self_clears: u32,
    /// The offset of a register whose bits a written 1 sets here. A read here reads that register.
    #[serde(default)]
    pub sets: Option<u32>,
    /// The offset of a register whose bits a written 1 clears here. A read here reads that
    /// register.
    #[serde(default)]
    pub clears: Option<u32>,
    /// The bits that start work of the device which nothing models: a tool says so.
    #[serde(default)]
    pub starts: u32,
    /// Bits of the register that follow other bits.
    #[serde(default)]
    pub follow: Vec<Follow>,
    /// The bits of the register that interrupt, and the bits that must enable the interrupt.
    #[serde(default)]
    pub interrupt: Option<Interrupt>,
}

impl Default for RegisterDescription {
    /// The register at 0 that only remembers.
    fn default() -> Self {
        Self {
            offset: 0,
            name: None,
            count: 1,
            reset: None,
            writable: None,
            constant: None,
            read_clears: 0,
            one_clears: 0,
            self_clears: 0,
            sets: None,
            clears: None,
            starts: 0,
            follow: Vec::new(),
            interrupt: None,
        }
    }
}

/// The bits of a register that interrupt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Interrupt {
    /// The bits, of which one set bit is enough.
    pub bits: u32,
    /// The offset of the register that enables them.
    pub enable: u32,
    /// The bit there.
    pub enable_bit: u32,
}

/// Bits that follow other bits.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Follow {
    /// The lowest bit that follows.
    pub bit: u32,
    /// The lowest bit that is followed.
    pub of: u32,
    /// The number of bits.
    #[serde(default = "one")]
    pub count: u32,
    /// The offset of the register with the followed bits. Without it, the same register.
    #[serde(default)]
    pub register: Option<u32>,
    /// `true` if the bits are the opposite of the followed bits.
    #[serde(default)]
    pub inverted: bool,
    /// `true` if the followed bits are a number: only the bit with this number is set.
    #[serde(default)]
    pub decode: bool,
    /// `true` if the bits are only set, and stay until the program clears them.
    #[serde(default)]
    pub latch: bool,
    /// The delay in microseconds.
    #[serde(default)]
    pub after_us: u64,
}

const fn one() -> u32 {
    1
}

/// The lowest `count` bits.
const fn low_bits(count: u32) -> u32 {
    if count >= 32 { u32::MAX } else { (1 << count) - 1 }
}

impl Follow {
    /// Returns the number of bits that follow.
    pub const fn width(&self) -> u32 {
        if self.decode { 1_u32.wrapping_shl(self.count) } else { self.count }
    }

    /// The bits that follow.
    pub const fn mask(&self) -> u32 {
        low_bits(self.width()) << (self.bit & 31)
    }

    /// Returns the bits, in their place, for the value `source` of the followed register.
    const fn bits(&self, source: u32) -> u32 {
        let mut bits = source >> (self.of & 31) & low_bits(self.count);
        if self.inverted {
            bits ^= low_bits(self.count);
        }
        if self.decode {
            bits = 1_u32.wrapping_shl(bits);
        }
        bits << (self.bit & 31)
    }
}

/// The behaviour of a word.
#[derive(Clone, Debug)]
struct Word {
    reset: u32,
    writable: u32,
    read_clears: u32,
    one_clears: u32,
    self_clears: u32,
    alias: Option<(Alias, usize)>,
}

/// The effect of a write on the register that an alias reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Alias {
    Set,
    Clear,
}

/// Bits of the word `target` that follow bits of the word `source`.
#[derive(Clone, Debug)]
struct Rule {
    source: usize,
    target: usize,
    delay: u64,
    follow: Follow,
}

/// The fixed part.
#[derive(Debug, Default)]
struct Plan {
    words: Vec<Word>,
    rules: Vec<Rule>,
    /// The interrupts, each with its word, and the word that enables it.
    interrupts: Vec<(usize, usize, Interrupt)>,
}

/// The registers. Interrupt output: a bit that interrupts and is enabled.
#[derive(Clone, Debug)]
pub struct Registers {
    plan: Arc<Plan>,
    values: Vec<u32>,
    /// For each rule: the cycle in which its bits change, and their new value.
    pending: Vec<Option<(u64, u32)>>,
}

impl Registers {
    /// No registers: see [`Device::describe`].
    pub fn new(_clock_hz: u64) -> Self {
        Self { plan: Arc::default(), values: Vec::new(), pending: Vec::new() }
    }

    /// Sets the values after a reset, with the bits that follow.
    fn start(&mut self) {
        let plan = Arc::clone(&self.plan);
        self.values = plan.words.iter().map(|word| word.reset).collect();
        self.pending = vec![None; plan.rules.len()];
        for rule in plan.rules.iter().filter(|rule| !rule.follow.latch) {
            self.settle(rule, rule.follow.bits(self.values[rule.source]));
        }
    }

    /// Gives the bits that follow their new value.
    fn settle(&mut self, rule: &Rule, bits: u32) {
        let kept = if rule.follow.latch { u32::MAX } else { !rule.follow.mask() };
        let value = &mut self.values[rule.target];
        *value = (*value & kept) | bits;
    }

    /// Gives a word a new value, and starts the rules that follow the word.
    fn set(&mut self, index: usize, new: u32, cycle: u64) {
        let plan = Arc::clone(&self.plan);
        let old = std::mem::replace(&mut self.values[index], new & !plan.words[index].self_clears);
        for (number, rule) in plan.rules.iter().enumerate() {
            if rule.source != index {
                continue;
            }
            let (before, bits) = (rule.follow.bits(old), rule.follow.bits(new));
            let begins = if rule.follow.latch { bits & !before != 0 } else { bits != before };
            if !begins {
                continue;
            }
            if rule.delay == 0 {
                self.pending[number] = None;
                self.settle(rule, bits);
            } else {
                self.pending[number] = Some((cycle.saturating_add(rule.delay), bits));
            }
        }
    }
}

impl Device for Registers {
    fn describe(&mut self, setup: &Setup<'_>) {
        self.plan = Arc::new(Plan::new(setup));
        self.start();
    }

    fn read(&mut self, offset: u32, cycle: u64) -> Result<u32, BusError> {
        let Some(word) = self.plan.words.get((offset / 4) as usize) else { return Ok(0) };
        let index = word.alias.map_or((offset / 4) as usize, |(_, index)| index);
        let clears = self.plan.words[index].read_clears;
        let value = self.values[index];
        if value & clears != 0 {
            self.set(index, value & !clears, cycle);
        }
        Ok(value)
    }

    fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Result<(), BusError> {
        let index = (offset / 4) as usize;
        let Some(word) = self.plan.words.get(index) else { return Ok(()) };
        let (index, value) = match word.alias {
            None => (index, value),
            Some((Alias::Set, index)) => (index, self.values[index] | value),
            Some((Alias::Clear, index)) => (index, self.values[index] & !value),
        };
        let (behaves, old) = (&self.plan.words[index], self.values[index]);
        let cleared = if word.alias.is_some() { 0 } else { behaves.one_clears };
        let written = behaves.writable & !cleared;
        let new = (old & !written & !(value & cleared)) | (value & written);
        self.set(index, new, cycle);
        Ok(())
    }

    fn reset(&mut self, _cycle: u64) {
        self.start();
    }

    fn ones_clear(&self, offset: u32) -> bool {
        self.plan.words.get((offset / 4) as usize).is_some_and(|word| word.one_clears != 0)
    }

    fn advance(&mut self, cycle: u64) {
        // Bits that follow are not followed themselves, and no bit follows twice, so the order
        // doesn't matter.
        for number in 0..self.pending.len() {
            if let Some((_, bits)) = self.pending[number].filter(|(due, _)| *due <= cycle) {
                self.pending[number] = None;
                let plan = Arc::clone(&self.plan);
                self.settle(&plan.rules[number], bits);
            }
        }
    }

    fn next_event(&self) -> u64 {
        // A change of bits matters only if it may interrupt.
        if self.plan.interrupts.is_empty() {
            return u64::MAX;
        }
        self.pending.iter().flatten().map(|(due, _)| *due).min().unwrap_or(u64::MAX)
    }

    fn outputs(&self) -> u32 {
        let active = |(flags, enable, one): &(usize, usize, Interrupt)| {
            self.values[*flags] & one.bits != 0 && self.values[*enable] >> one.enable_bit & 1 != 0
        };
        u32::from(self.plan.interrupts.iter().any(active))
    }
}

impl Plan {
    fn new(setup: &Setup<'_>) -> Self {
        let plain = Word {
            reset: 0,
            writable: u32::MAX,
            read_clears: 0,
            one_clears: 0,
            self_clears: 0,
            alias: None,
        };
        let mut plan = Self { words: vec![plain; (setup.span / 4) as usize], ..Self::default() };
        for register in setup.registers {
            for number in 0..register.count {
                plan.add(register, (register.offset / 4 + number) as usize, setup.clock_hz);
            }
        }
        plan
    }

    fn add(&mut self, register: &RegisterDescription, index: usize, clock_hz: u64) {
        let at = |offset: u32| (offset / 4) as usize;
        let set = register.sets.map(|offset| (Alias::Set, at(offset)));
        let clear = register.clears.map(|offset| (Alias::Clear, at(offset)));
        let follows: u32 = register
            .follow
            .iter()
            .filter(|follow| !follow.latch)
            .fold(0, |mask, follow| mask | follow.mask());
        let writable = if register.constant.is_some() { 0 } else { u32::MAX };
        let Some(word) = self.words.get_mut(index) else { return };
        *word = Word {
            reset: register.constant.or(register.reset).unwrap_or(0),
            writable: register.writable.unwrap_or(writable) & !follows,
            read_clears: register.read_clears,
            one_clears: register.one_clears,
            self_clears: register.self_clears,
            alias: set.or(clear),
        };
        self.interrupts.extend(register.interrupt.map(|one| (index, at(one.enable), one)));
        self.rules.extend(register.follow.iter().map(|follow| {
            let source = follow.register.map_or(index, at);
            let cycles = u128::from(follow.after_us) * u128::from(clock_hz) / 1_000_000;
            let delay = u64::try_from(cycles).unwrap_or(u64::MAX);
            Rule { source, target: index, delay, follow: follow.clone() }
        }));
    }
}

#[cfg(test)]
mod tests;
