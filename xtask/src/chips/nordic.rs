//! The chips of Nordic, from the SVD files in the sources of `nrf-pac`, which lack the memories.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use svd_parser::svd::{Device, Peripheral};

use super::family::{Chip, Files, Memory, family_text};

/// A file, and its chips: name, KiB of flash, KiB of RAM. From the product specifications.
type Source = (&'static str, &'static [(&'static str, u64, u64)]);

/// The files of each family.
const FAMILIES: [(&str, &[Source]); 4] = [
    (
        "nrf51",
        &[(
            "nrf51",
            &[
                ("nrf51422_xxaa", 256, 16),
                ("nrf51422_xxab", 128, 16),
                ("nrf51422_xxac", 256, 32),
                ("nrf51822_xxaa", 256, 16),
                ("nrf51822_xxab", 128, 16),
                ("nrf51822_xxac", 256, 32),
                ("nrf51824_xxaa", 256, 16),
            ],
        )],
    ),
    (
        "nrf52",
        &[
            ("nrf52805", &[("nrf52805_xxaa", 192, 24)]),
            ("nrf52810", &[("nrf52810_xxaa", 192, 24)]),
            ("nrf52811", &[("nrf52811_xxaa", 192, 24)]),
            ("nrf52820", &[("nrf52820_xxaa", 256, 32)]),
            ("nrf52832", &[("nrf52832_xxaa", 512, 64), ("nrf52832_xxab", 256, 32)]),
            ("nrf52833", &[("nrf52833_xxaa", 512, 128)]),
            ("nrf52840", &[("nrf52840_xxaa", 1024, 256)]),
        ],
    ),
    (
        "nrf53",
        &[
            ("nrf5340-app", &[("nrf5340_xxaa", 1024, 512)]),
            ("nrf5340-net", &[("nrf5340-net", 256, 64)]),
        ],
    ),
    (
        "nrf91",
        &[
            ("nrf9160", &[("nrf9160_xxaa", 1024, 256)]),
            ("nrf9120", &[("nrf9151_xxaa", 1024, 256), ("nrf9161_xxaa", 1024, 256)]),
        ],
    ),
];

/// The blocks that are one with others of their kind at the same address, and the name of these.
const KINDS: [(&str, &str); 5] =
    [("spim", "spi"), ("spis", "spi"), ("twim", "twi"), ("twis", "twi"), ("uarte", "uart")];

/// How the names of the parts of the unit for ciphers begin.
const CIPHERS: &str = "CC_";

/// The register of a port from which the simulator counts, and its place there.
const FIRST: (&str, u32) = ("OUT", 4);

/// Devices that only a debugger reaches, or that are memory.
const PRIVATE: u64 = 0xe000_0000;

/// Makes the data of all chips.
///
/// # Errors
/// A file can't be read.
pub fn files(sources: &Path, version: &str) -> Result<Files> {
    let mut files = Files::new();
    for (family, svds) in FAMILIES {
        let mut chips = Vec::new();
        for (svd, known) in svds {
            let path = sources.join(format!("svd/{svd}.svd"));
            let context = || path.display().to_string();
            let text = fs::read_to_string(&path).with_context(context)?;
            let code = fs::read_to_string(sources.join(format!("src/chips/{svd}/pac.rs")))?;
            let device = quintet_lab::svd::device(&text).with_context(context)?;
            chips.extend(known.iter().map(|(name, flash, ram)| Chip {
                name: (*name).to_owned(),
                priority_bits: device.cpu.as_ref().map_or(3, |cpu| cpu.nvic_priority_bits).into(),
                memories: memories(name, *flash, *ram),
                interrupts: interrupts(&code),
                devices: devices(&device),
            }));
        }
        let text = family_text(family, &chips, &format!("nrf-pac {version}"))?;
        files.insert(format!("{family}.toml"), text);
    }
    Ok(files)
}

/// The memories. The second core of nRF5340 has its own, at other addresses.
fn memories(name: &str, flash: u64, ram: u64) -> Vec<Memory> {
    let (code, data) = match name {
        "nrf5340-net" => (0x0100_0000, 0x2100_0000),
        _ => (0, 0x2000_0000),
    };
    let memory = |name: &str, kind, start, size: u64| {
        let name = name.to_owned();
        Memory { name, kind, start, size: size * 1024 }
    };
    vec![memory("flash", "flash", code, flash), memory("sram", "ram", data, ram)]
}

/// The interrupts, by the names that the crate gives them, which the file gives some otherwise.
fn interrupts(code: &str) -> BTreeSet<String> {
    let (_, rest) = code.split_once("enum Interrupt {").unwrap_or_default();
    let (variants, _) = rest.split_once('}').unwrap_or_default();
    let variants = variants.lines().filter_map(|line| line.trim().split_once(" = "));
    let numbered = variants.filter_map(|(name, rest)| {
        let number: u64 = rest.trim_end_matches(',').parse().ok()?;
        Some(format!("{number:03} {name}"))
    });
    numbered.collect()
}

/// A row for each address: the names of what is there, the kinds of blocks, the interrupt. Of a
/// device with an address for each security state, the secure one is taken.
fn devices(device: &Device) -> BTreeSet<String> {
    let stem = |name: &str| name.trim_end_matches("_NS").trim_end_matches("_S").to_owned();
    let secure: Vec<String> = device
        .peripherals
        .iter()
        .filter(|peripheral| peripheral.name.ends_with("_S"))
        .map(|peripheral| stem(&peripheral.name))
        .collect();
    let is_second = |peripheral: &Peripheral| {
        peripheral.name.ends_with("_NS") && secure.contains(&stem(&peripheral.name))
    };
    let mut places: BTreeMap<u64, Vec<(String, &Peripheral)>> = BTreeMap::new();
    for peripheral in device.peripherals.iter().filter(|peripheral| !is_second(peripheral)) {
        if (1..PRIVATE).contains(&peripheral.base_address) {
            let base = peripheral.base_address + port_offset(peripheral);
            places.entry(base).or_default().push((stem(&peripheral.name), peripheral));
        }
    }
    places.into_iter().map(|(base, found)| row(base, &found)).collect()
}

/// What is between a port's address in the manual and that of its device in the simulator.
fn port_offset(peripheral: &Peripheral) -> u64 {
    let is_port = block(peripheral) == "gpio";
    let first = peripheral.all_registers().find(|register| is_port && register.name == FIRST.0);
    first.map_or(0, |register| u64::from(register.address_offset.saturating_sub(FIRST.1)))
}

fn block(peripheral: &Peripheral) -> String {
    let group = peripheral.group_name.as_deref().unwrap_or(&peripheral.name);
    group.to_lowercase()
}

/// A row: `40003000 SPI0-TWI0 spi+spim+twi+twim 3`.
fn row(base: u64, found: &[(String, &Peripheral)]) -> String {
    let (mut names, mut blocks): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut numbers = BTreeSet::new();
    for (name, peripheral) in found {
        // The parts of the unit for ciphers are one.
        let (name, block) = match name.starts_with(CIPHERS) {
            true => ("CC".to_owned(), "cc".to_owned()),
            false => (name.clone(), block(peripheral)),
        };
        let kind = KINDS.iter().find(|(kind, _)| *kind == block);
        let name = match kind {
            Some((kind, usual)) => name.to_lowercase().replacen(kind, usual, 1).to_uppercase(),
            None => name,
        };
        if !names.contains(&name) {
            names.push(name);
        }
        if !blocks.contains(&block) {
            blocks.push(block);
        }
        numbers.extend(peripheral.interrupt.iter().map(|interrupt| interrupt.value));
    }
    names.sort();
    blocks.sort();
    let numbers: String = numbers.into_iter().map(|number| format!(" {number}")).collect();
    format!("{base:08x} {} {}{numbers}", names.join("-"), blocks.join("+"))
}
