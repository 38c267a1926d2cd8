//! The chips that crates are made for: `template/chips.toml`, read once.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// How like a known name an unknown one must be for the known one to be proposed.
const LIKENESS_MIN: f64 = 0.85;

/// How many names are proposed.
const PROPOSALS_MAX: usize = 4;

const TABLE: &str = include_str!("../../template/chips.toml");

/// Chips that differ by the sizes of their memories alone. The table says what the fields are.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// What the names of its chips begin with.
    pub name: String,
    /// The built-in board of the simulator.
    pub board: String,
    /// The board that people have.
    pub usual: String,
    /// Other names, and the chips that they stand for.
    #[serde(default)]
    also: BTreeMap<String, String>,
    /// The target of the compiler.
    pub target: String,
    /// The clock of the processor.
    pub clock_hz: u64,
    /// What counts time.
    pub timer: String,
    /// The dependency with the registers, where there is one.
    #[serde(default)]
    pac: String,
    /// The crate of that dependency.
    #[serde(default)]
    pub device: String,
    /// The HAL of Embassy, where there is one.
    pub embassy: Option<Hal>,
    /// The HAL whose drivers block, where there is one.
    pub hal: Option<Hal>,
    /// Interrupts for the levels, of that crate.
    #[serde(default)]
    pub dispatchers: Vec<String>,
    variants: BTreeMap<String, Variant>,
}

/// A hardware abstraction layer (HAL): a package of the registry.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Hal {
    /// The name of the package.
    pub package: String,
    /// Its version, as manifests ask for it.
    pub version: String,
    /// Its feature for the chip.
    feature: String,
    /// Features for sizes of flash: from so many KiB on, this one.
    #[serde(default)]
    sizes: Vec<(u32, String)>,
    /// Interrupts for the levels, where the HAL's crate of registers has other names than the
    /// family's.
    #[serde(default)]
    pub dispatchers: Vec<String>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Variant {
    flash: u32,
    ram: u32,
    probe: Option<String>,
}

/// One chip.
#[derive(Debug)]
pub struct Chip<'a> {
    /// Its name, in small letters.
    pub name: String,
    /// Its family.
    pub family: &'a Family,
    /// The size of its flash, in KiB.
    pub flash: u32,
    /// The size of its RAM, in KiB.
    pub ram: u32,
    /// What probe-rs calls it; empty where it doesn't know the chip.
    pub probe: String,
}

impl Chip<'_> {
    /// The line of `[dependencies]` with its registers; empty without any.
    pub fn pac(&self) -> String {
        self.family.pac.replace("NAME", &self.name)
    }

    /// The features of a HAL for this chip, as an array of a manifest has them.
    pub fn features(&self, hal: &Hal) -> String {
        let of_size = hal.sizes.iter().rfind(|(size, _)| *size <= self.flash);
        let of_size = of_size.map(|(_, feature)| feature.clone());
        let of_chip = hal.feature.replace("NAME", &self.name);
        let quoted = |feature: String| format!("\"{feature}\"");
        std::iter::once(of_chip).chain(of_size).map(quoted).collect::<Vec<_>>().join(", ")
    }
}

/// All families, as the table has them.
pub struct Families(Vec<Family>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    family: Vec<Family>,
}

impl Families {
    /// Reads the table.
    pub fn read() -> Result<Self> {
        let file: File = toml::from_str(TABLE).context("the table of chips")?;
        Ok(Self(file.family))
    }

    /// The families, in the table's order.
    pub fn iter(&self) -> impl Iterator<Item = &Family> {
        self.0.iter()
    }

    /// All chips.
    pub fn chips(&self) -> impl Iterator<Item = Chip<'_>> {
        self.iter().flat_map(Family::chips)
    }

    /// The chip with this name: its own, as `stm32f446re`, a longer one from the package, as
    /// `STM32F446RET6`, or that of a board, as `nucleo-f446re`.
    ///
    /// # Errors
    /// A name that none has, with those that are near.
    pub fn find(&self, asked: &str) -> Result<Chip<'_>> {
        let name = asked.to_lowercase();
        let stands_for = self.iter().find_map(|family| family.also.get(&name)).unwrap_or(&name);
        let found = self.chips().filter(|chip| stands_for.starts_with(&chip.name));
        // The name of one chip may begin with that of another.
        if let Some(chip) = found.max_by_key(|chip| chip.name.len()) {
            return Ok(chip);
        }
        if let Some(family) = self.iter().find(|family| family.name.starts_with(&name)) {
            let names: Vec<_> = family.chips().map(|chip| chip.name).collect();
            bail!(
                "\"{asked}\" is a family of chips with memories of several sizes: name one of {}",
                names.join(", ")
            );
        }
        let near = self.near(&name);
        let proposal = match near.len() {
            0 => ".".to_owned(),
            _ => format!("; did you mean {}?", near.join(", ")),
        };
        bail!(
            "no chip has the name \"{asked}\"{proposal} `quintet new --list` shows all chips. For \
             any other chip, `--board FILE` takes the core and the memories from a board file"
        )
    }

    /// The names most like this one, the nearest first.
    fn near(&self, name: &str) -> Vec<String> {
        let also = self.iter().flat_map(|family| family.also.keys().cloned());
        let names = self.chips().map(|chip| chip.name).chain(also);
        let mut near: Vec<(f64, String)> = names
            .map(|known| (strsim::jaro_winkler(name, &known), known))
            .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
            .collect();
        near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        near.into_iter().take(PROPOSALS_MAX).map(|(_, name)| name).collect()
    }
}

impl Family {
    /// Its chips.
    pub fn chips(&self) -> impl Iterator<Item = Chip<'_>> {
        self.variants.iter().map(|(rest, variant)| {
            let name = format!("{}{rest}", self.name);
            let capitals = || name.to_uppercase();
            let probe = variant.probe.clone().unwrap_or_else(capitals);
            Chip { probe, family: self, flash: variant.flash, ram: variant.ram, name }
        })
    }

    /// The chip on the board that people have: the one with other names, or the first.
    pub fn typical(&self) -> Option<Chip<'_>> {
        let named = self.also.values().next();
        let is_it = |chip: &Chip<'_>| named.is_none_or(|name| chip.name == *name);
        self.chips().find(is_it)
    }

    /// The other names for one of its chips, of boards mostly.
    pub fn also(&self) -> impl Iterator<Item = &str> {
        self.also.keys().map(String::as_str)
    }
}
