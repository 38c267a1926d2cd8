//! Names of registers and fields, from the file in which a chip's maker describes them (SVD).
//!
//! [`Svd::read`] takes such a file; [`Svd::at`] finds the register at an address, and
//! [`Svd::find`] registers by their names. A field of a register is a range of its bits.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use quintet_sim::files;
use svd_parser::svd::{Device, Peripheral};
use svd_parser::{Config, ValidateLevel, expand};

mod limits;

/// The longest file that is read, in bytes: the makers' largest have a tenth of it.
const BYTES_MAX: u64 = 64 << 20;

/// The most names that an answer proposes.
const NAMES_MAX: usize = 60;

/// A register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Register {
    /// The name of its peripheral.
    pub peripheral: String,
    /// Its own name.
    pub name: String,
    /// Its address.
    pub address: u32,
    /// Its bytes: 1, 2, 4 or 8.
    pub bytes: u32,
    /// Its fields, from the lowest bit on.
    pub fields: Vec<Field>,
}

/// Bits of a register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The lowest bit.
    pub bit: u32,
    /// The number of bits.
    pub width: u32,
}

/// All registers of a chip, by their addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Svd {
    registers: Vec<Register>,
}

impl Field {
    /// The bits in their register.
    pub fn mask(&self) -> u32 {
        let ones = 1_u64.checked_shl(self.width).unwrap_or(0).wrapping_sub(1);
        // A field above bit 31 is not in the word.
        ones.checked_shl(self.bit).unwrap_or(0) as u32
    }

    /// Its value in a register's value.
    pub fn of(&self, value: u32) -> u32 {
        (value & self.mask()).checked_shr(self.bit).unwrap_or(0)
    }
}

impl Register {
    /// Peripheral and register, as `RCC.CR`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.peripheral, self.name)
    }

    /// The fields that have bits of a mask.
    pub fn fields_in(&self, mask: u32) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(move |field| field.mask() & mask != 0)
    }

    /// A value with its fields, for people: `0x00010083: HSEON 1, HSION 1`. Fields that are 0 are
    /// left out.
    pub fn in_words(&self, value: u32) -> String {
        let fields = self.fields.iter().filter(|field| field.of(value) != 0);
        let fields: Vec<String> = fields
            .map(|field| match field.of(value) {
                one if one < 10 => format!("{} {one}", field.name),
                more => format!("{} {more:#x}", field.name),
            })
            .collect();
        let separator = if fields.is_empty() { "" } else { ": " };
        format!("{value:#010x}{separator}{}", fields.join(", "))
    }
}

impl Svd {
    /// Reads a file.
    ///
    /// # Errors
    /// The file can't be read, or is no SVD.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let bytes = files::read(path, BYTES_MAX);
        let bytes = bytes.with_context(|| format!("cannot read --svd {name}"))?;
        let text = String::from_utf8(bytes);
        let text = text.ok().with_context(|| format!("--svd {name} is no text in UTF-8"))?;
        Self::parse(&text).with_context(|| {
            format!(
                "--svd {name} is no SVD file, as chips' makers and svd2rust's authors have them"
            )
        })
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// It is no SVD, or has no registers.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let device = device(text)?;
        let mut registers: Vec<Register> = device.peripherals.iter().flat_map(registers).collect();
        // The order of the file decides where several are at one address.
        registers.sort_by_key(|register| register.address);
        ensure!(!registers.is_empty(), "it has no registers");
        Ok(Self { registers })
    }

    /// Returns the register at an address, or around it: one whose peripheral has the `device`'s
    /// name if there are several.
    pub fn at(&self, address: u32, device: Option<&str>) -> Option<&Register> {
        // None is longer than 8 bytes.
        let first = address.saturating_sub(7);
        let begin = self.registers.partition_point(|register| register.address < first);
        let near = self.registers[begin..].iter();
        let near = near.take_while(|register| register.address <= address);
        let around = near.filter(|register| address - register.address < register.bytes);
        let is_named = |register: &&Register| {
            device.is_some_and(|device| register.peripheral.eq_ignore_ascii_case(device))
        };
        around.clone().find(is_named).or_else(|| around.clone().next())
    }

    /// Finds registers by the name of a peripheral, as `RCC`, or of one of its registers, as
    /// `RCC.CR`, in any letters.
    ///
    /// # Errors
    /// There is none. The error names what there is.
    pub fn find(&self, asked: &str) -> anyhow::Result<Vec<&Register>> {
        let (peripheral, name) = match asked.split_once('.') {
            Some((peripheral, name)) => (peripheral, Some(name)),
            None => (asked, None),
        };
        let mine = self.registers.iter();
        let mine = mine.filter(|register| register.peripheral.eq_ignore_ascii_case(peripheral));
        let mine: Vec<&Register> = mine.collect();
        if mine.is_empty() {
            let all = self.registers.iter().map(|register| register.peripheral.as_str());
            bail!("no peripheral has the name \"{peripheral}\"; there are {}", listed(all));
        }
        let Some(name) = name else { return Ok(mine) };
        let is_it = |register: &&&Register| register.name.eq_ignore_ascii_case(name);
        let found: Vec<&Register> = mine.iter().filter(is_it).copied().collect();
        if found.is_empty() {
            let all = mine.iter().map(|register| register.name.as_str());
            bail!("{peripheral} has no register of the name \"{name}\"; it has {}", listed(all));
        }
        Ok(found)
    }
}

/// Reads the text of a file, and resolves arrays, clusters and what is derived.
///
/// # Errors
/// It is no SVD.
pub fn device(text: &str) -> anyhow::Result<Device> {
    // A maker's file that breaks rules of the format has good names all the same.
    let config = Config::default()
        .validate_level(ValidateLevel::Disabled)
        .expand_properties(true)
        .ignore_enums(true);
    // Nordic writes these words otherwise than the format has them.
    let text = text.replace("writeonce</access>", "writeOnce</access>");
    limits::check_depth(&text)?;
    let device = svd_parser::parse_with_config(&text, &config)?;
    check_circles(&device)?;
    limits::check_arrays(&device)?;
    expand::expand(&device)
}

/// Names, each once.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    let more = all.len().saturating_sub(NAMES_MAX);
    all.truncate(NAMES_MAX);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{rest}", all.join(", "))
}

/// Refuses peripherals that are derived from each other in a circle: the reader would not end.
fn check_circles(device: &Device) -> anyhow::Result<()> {
    let from = |peripheral: &Peripheral| peripheral.derived_from.clone();
    let parents: HashMap<&str, String> = device
        .peripherals
        .iter()
        .filter_map(|peripheral| Some((peripheral.name.as_str(), from(peripheral)?)))
        .collect();
    for first in parents.keys() {
        let next = |name: &String| parents.get(name.as_str()).cloned();
        let chain = std::iter::successors(Some((*first).to_owned()), next);
        let length = chain.take(parents.len() + 2).count();
        ensure!(length < parents.len() + 2, "its peripheral {first} is derived from itself");
    }
    Ok(())
}

/// The registers of a peripheral, which has no arrays and no clusters any more.
fn registers(peripheral: &Peripheral) -> Vec<Register> {
    let one = |register: &svd_parser::svd::Register| {
        let offset = u64::from(register.address_offset);
        let address = u32::try_from(peripheral.base_address.checked_add(offset)?).ok()?;
        let mut fields: Vec<Field> = register
            .fields()
            .map(|field| Field {
                name: field.name.clone(),
                bit: field.bit_range.offset,
                width: field.bit_range.width,
            })
            .collect();
        fields.sort_by_key(|field| field.bit);
        let bytes = register.properties.size.unwrap_or(32).div_ceil(8).clamp(1, 8);
        let (peripheral, name) = (peripheral.name.clone(), register.name.clone());
        Some(Register { peripheral, name, address, bytes, fields })
    };
    peripheral.all_registers().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two peripherals, the second derived from the first and at the same place as a third.
    fn text(peripherals: &str) -> String {
        format!(
            "<device><name>X</name><version>1</version><description>x</description>\
             <addressUnitBits>8</addressUnitBits><width>32</width><size>32</size>\
             <peripherals>{peripherals}</peripherals></device>"
        )
    }

    const FIRST: &str = "<peripheral><name>A</name><baseAddress>0x40000000</baseAddress><registers>\
        <register><name>CR</name><addressOffset>0</addressOffset><fields>\
        <field><name>RDY</name><bitOffset>17</bitOffset><bitWidth>1</bitWidth></field>\
        <field><name>SW</name><bitRange>[3:2]</bitRange></field></fields></register>\
        <register><dim>2</dim><dimIncrement>4</dimIncrement><name>OUT%s</name>\
        <addressOffset>0x10</addressOffset></register>\
        <cluster><dim>2</dim><dimIncrement>8</dimIncrement><name>CH[%s]</name>\
        <addressOffset>0x20</addressOffset><register><name>EEP</name>\
        <addressOffset>4</addressOffset></register></cluster></registers></peripheral>";
    const SECOND: &str = "<peripheral derivedFrom=\"A\"><name>B</name>\
        <baseAddress>0x40001000</baseAddress></peripheral>";
    const THIRD: &str = "<peripheral><name>C</name><baseAddress>0x40001000</baseAddress>\
        <registers><register><name>OTHER</name><addressOffset>0</addressOffset></register>\
        </registers></peripheral>";

    #[test]
    fn registers_are_found_by_address_and_by_name() {
        let svd = Svd::parse(&text(&[FIRST, SECOND, THIRD].concat())).unwrap();
        let at = |address, device| svd.at(address, device).map(Register::path);
        assert_eq!(at(0x4000_0000, None).as_deref(), Some("A.CR"));
        assert_eq!(at(0x4000_0002, None).as_deref(), Some("A.CR"));
        assert_eq!(at(0x4000_0014, None).as_deref(), Some("A.OUT1"));
        assert_eq!(at(0x4000_002c, None).as_deref(), Some("A.CH1_EEP"));
        assert_eq!(at(0x4000_0004, None), None);
        assert_eq!(at(0x4000_1000, None).as_deref(), Some("B.CR"));
        assert_eq!(at(0x4000_1000, Some("c")).as_deref(), Some("C.OTHER"));
        assert_eq!((at(0, None), at(u32::MAX, None)), (None, None));
        let cr = svd.find("b.cr").unwrap()[0];
        assert_eq!(cr.in_words(0x2000c), "0x0002000c: SW 3, RDY 1");
        assert_eq!(cr.in_words(0), "0x00000000");
        assert_eq!(cr.fields_in(0x2_0000).next().unwrap().name, "RDY");
        assert_eq!(svd.find("a").unwrap().len(), 5);
    }

    #[test]
    fn words_of_nordic_are_read() {
        let register = "<register><name>CR</name><access>read-writeonce</access>";
        let first = FIRST.replace("<register><name>CR</name>", register);
        assert_ne!(first, FIRST);
        assert!(Svd::parse(&text(&first)).is_ok());
    }

    #[test]
    fn what_is_not_there_is_said_with_what_is() {
        let svd = Svd::parse(&text(&[FIRST, THIRD].concat())).unwrap();
        let said = |asked: &str| svd.find(asked).unwrap_err().to_string();
        assert_eq!(said("RCC"), "no peripheral has the name \"RCC\"; there are A, C");
        assert_eq!(said("C.CR"), "C has no register of the name \"CR\"; it has OTHER");
    }

    #[test]
    fn what_is_no_svd_is_refused() {
        let said = |text: &str| format!("{:#}", Svd::parse(text).unwrap_err());
        assert!(said("").contains("root node"), "{}", said(""));
        assert!(said("<a/>").contains("device"), "{}", said("<a/>"));
        assert_eq!(said(&text("")), "it has no registers");
        let circle = "<peripheral derivedFrom=\"B\"><name>A</name>\
            <baseAddress>0</baseAddress></peripheral><peripheral derivedFrom=\"A\"><name>B</name>\
            <baseAddress>0</baseAddress></peripheral>";
        let circle = said(&text(circle));
        assert!(circle.ends_with("is derived from itself"), "{circle}");
    }

    #[test]
    fn a_field_is_a_range_of_bits() {
        let field = |bit, width| Field { name: String::new(), bit, width };
        assert_eq!(field(0, 32).mask(), u32::MAX);
        assert_eq!((field(4, 2).mask(), field(4, 2).of(0x2f)), (0x30, 2));
        assert_eq!((field(40, 2).mask(), field(0, 99).mask()), (0, u32::MAX));
        assert_eq!(field(40, 2).of(1), 0);
    }
}
