//! Reads the file of a family.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::board::{BoardError, MemoryKind};

/// The file as it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    priority_bits: u8,
    chips: BTreeMap<String, String>,
    interrupts: BTreeMap<String, String>,
    devices: BTreeMap<String, String>,
}

/// A family of chips.
#[derive(Clone, Debug)]
pub struct Family {
    /// The name, as `stm32f4`.
    pub name: String,
    /// The bits of an interrupt's priority.
    pub priority_bits: u8,
    /// The chips, sorted by name.
    pub chips: Vec<Chip>,
    interrupts: BTreeMap<String, String>,
    devices: BTreeMap<String, String>,
}

/// A chip of a family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chip {
    /// The name, in small letters.
    pub name: String,
    /// The group of chips with the same interrupts and devices.
    group: String,
    /// The memories, sorted by address.
    pub memories: Vec<Memory>,
}

/// A memory of a chip.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    /// The name.
    pub name: String,
    /// Flash or RAM.
    pub kind: MemoryKind,
    /// The first address.
    pub start: u32,
    /// The size in bytes.
    pub size: u32,
}

/// A device of a chip.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device {
    /// The address of the first register.
    pub base: u32,
    /// The name, as `USART1`.
    pub name: String,
    /// The kind and version of the block, as `usart_v4` or `timer_v1:TIM_ADV`; `-` if it is
    /// unknown.
    pub block: String,
    /// Of a GPIO port: the register and the bit that give it a clock, as `AHB1ENR.GPIOAEN`.
    pub clock: Option<String>,
    /// The interrupts.
    pub signals: Vec<Signal>,
}

/// An interrupt of a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// What it signals, as `UP` or `CC`; empty for everything.
    pub names: Vec<String>,
    /// Its number.
    pub number: u16,
}

impl Family {
    /// Reads a file.
    ///
    /// # Errors
    /// A line has another form.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self, BoardError> {
        let syntax =
            |message: String| BoardError::Syntax { origin: format!("the data of {name}"), message };
        let file: File = toml::from_str(text).map_err(|error| syntax(error.to_string()))?;
        let chips = file
            .chips
            .iter()
            .map(|(name, row)| chip(name, row).ok_or_else(|| syntax(format!("the row of {name}"))));
        Ok(Self {
            name: name.to_owned(),
            priority_bits: file.priority_bits,
            chips: chips.collect::<Result<_, _>>()?,
            interrupts: file.interrupts,
            devices: file.devices,
        })
    }

    /// Returns the interrupts of a chip: numbers and names, in their order.
    pub fn interrupts(&self, chip: &Chip) -> Vec<(u16, &str)> {
        let mine = self.interrupts.iter().filter(|(_, groups)| is_in(groups, &chip.group));
        mine.filter_map(|(row, _)| {
            let (number, name) = row.split_once(' ')?;
            Some((number.parse().ok()?, name))
        })
        .collect()
    }

    /// Returns the devices of a chip, by their addresses.
    pub fn devices(&self, chip: &Chip) -> Vec<Device> {
        let mine = self.devices.iter().filter(|(_, groups)| is_in(groups, &chip.group));
        mine.filter_map(|(row, _)| device(row)).collect()
    }
}

/// Returns `true` if a group is one of `a-d g`; an empty list has all groups.
fn is_in(groups: &str, group: &str) -> bool {
    // Names of groups are in the order of their lengths, then of their letters.
    let key = |name: &str| (name.len(), name.to_owned());
    groups.is_empty()
        || groups.split(' ').any(|range| match range.split_once('-') {
            Some((first, last)) => key(first) <= key(group) && key(group) <= key(last),
            None => range == group,
        })
}

/// A chip's row: `a, flash flash 08000000 512, ram sram 20000000 128`.
fn chip(name: &str, row: &str) -> Option<Chip> {
    let (group, memories) = row.split_once(", ")?;
    let memories = memories.split(", ").map(|text| {
        let mut words = text.split(' ');
        let kind = match words.next()? {
            "flash" => MemoryKind::Flash,
            "ram" => MemoryKind::Ram,
            _ => return None,
        };
        let (name, start) = (words.next()?.to_owned(), words.next()?);
        let size = words.next()?;
        let size = match size.strip_suffix('B') {
            Some(bytes) => bytes.parse().ok()?,
            None => 1024 * size.parse::<u32>().ok()?,
        };
        Some(Memory { name, kind, start: u32::from_str_radix(start, 16).ok()?, size })
    });
    let memories = memories.collect::<Option<Vec<_>>>()?;
    Some(Chip { name: name.to_owned(), group: group.to_owned(), memories })
}

/// A device's row: `40010000 TIM1 timer_v1:TIM_ADV BRK=24 UP=25`.
fn device(row: &str) -> Option<Device> {
    let mut words = row.split(' ');
    let base = u32::from_str_radix(words.next()?, 16).ok()?;
    let (name, block) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut clock, mut signals) = (None, Vec::new());
    for word in words {
        let (names, number) = word.split_once('=').unwrap_or(("", word));
        match number.parse() {
            Ok(number) => {
                let names = names.split(',').filter(|name| !name.is_empty());
                signals.push(Signal { names: names.map(str::to_owned).collect(), number });
            }
            Err(_) => clock = Some(word.to_owned()),
        }
    }
    Some(Device { base, name, block, clock, signals })
}

impl Device {
    /// Returns the number of the interrupt that signals one of these events, the first that is
    /// there, or that signals everything.
    pub fn interrupt(&self, events: &[&str]) -> Option<u16> {
        let of = |event: &&str| {
            let mut signals = self.signals.iter();
            signals.find(|signal| signal.names.iter().any(|name| name == event))
        };
        let found = events.iter().find_map(of);
        let whole = || self.signals.iter().find(|signal| signal.names.is_empty());
        found.or_else(whole).map(|signal| signal.number)
    }
}
