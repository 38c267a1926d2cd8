//! The chips for which `quintet new` makes crates: the table in `template/chips.toml`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

mod data;
mod nordic;

/// The least likeness of a known name to an unknown one for which an error proposes the known name.
const LIKENESS_MIN: f64 = 0.85;

/// The most names that an error proposes.
const PROPOSALS_MAX: usize = 4;

/// The length of the name of a series of STM32, as `stm32f4`.
const SERIES: usize = 7;

const TABLE: &str = include_str!("../../template/chips.toml");

/// Chips that differ only by the sizes of their memories. The table explains each field.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The beginning of the names of all chips of the family.
    pub name: String,
    /// The built-in board of the simulator.
    pub board: String,
    /// The board on which most people have such a chip.
    pub usual: String,
    /// Other names, each with the chip for which it stands.
    #[serde(default)]
    also: BTreeMap<String, String>,
    /// The pin of the LED on that board, as `PA5`; empty if the template knows the pin.
    #[serde(default)]
    pub led: String,
    /// `low` if the LED is lit while its pin is low.
    #[serde(default)]
    pub lit: String,
    /// The target of the compiler.
    pub target: String,
    /// The clock of the processor, in hertz.
    pub clock_hz: u64,
    /// The timer that counts time: `systick` or `nrf`.
    pub timer: String,
    /// The line of a manifest for the crate of registers; empty if no such crate is known.
    #[serde(default)]
    pac: String,
    /// The name of the crate of registers in code.
    #[serde(default)]
    pub device: String,
    /// The HAL of Embassy, if Embassy has one.
    pub embassy: Option<Hal>,
    /// The HAL whose drivers block, if one is known.
    pub hal: Option<Hal>,
    /// Interrupts for the levels, by their names in the crate of registers.
    #[serde(default)]
    pub dispatchers: Vec<String>,
    /// Of an STM32 of the makers' data: the register and the bit that give the LED's port a clock.
    #[serde(skip)]
    pub led_clock: Option<(String, String)>,
    /// Of a chip of Nordic of the makers' data: the LED's port, as the crate of registers names it.
    #[serde(skip)]
    pub led_block: String,
    /// Of such a chip: `true` if its ports are those of STM32F1.
    #[serde(skip)]
    pub has_early_ports: bool,
    variants: BTreeMap<String, Variant>,
}

/// A hardware abstraction layer (HAL): a package of the registry.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Hal {
    /// The name of the package.
    pub package: String,
    /// The version that a manifest asks for.
    pub version: String,
    /// The feature for the chip; `NAME` stands for the name of the chip.
    feature: String,
    /// Features by the size of the flash: each is for so many KiB and more.
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

/// A chip of the table.
#[derive(Debug)]
pub struct Chip<'a> {
    /// The name, in small letters.
    pub name: String,
    /// The family of the chip.
    pub family: &'a Family,
    /// The size of its flash, in KiB.
    pub flash: u32,
    /// The size of its RAM, in KiB.
    pub ram: u32,
    /// The name of the chip in probe-rs; empty if probe-rs doesn't know the chip.
    pub probe: String,
}

impl Chip<'_> {
    /// Returns the line of a manifest for the chip's registers; empty if no crate has them.
    pub fn pac(&self) -> String {
        self.family.pac.replace("NAME", &self.name)
    }

    /// Returns the features of a HAL for this chip, as they stand in an array of a manifest.
    pub fn features(&self, hal: &Hal) -> String {
        let of_size = hal.sizes.iter().rfind(|(size, _)| *size <= self.flash);
        let of_size = of_size.map(|(_, feature)| feature.clone());
        let of_chip = hal.feature.replace("NAME", &self.name);
        let quoted = |feature: String| format!("\"{feature}\"");
        std::iter::once(of_chip).chain(of_size).map(quoted).collect::<Vec<_>>().join(", ")
    }
}

/// All families, in the order of the table.
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

    /// Adds a chip of the makers' data, if the name asks for one that the table lacks.
    ///
    /// # Errors
    /// The data makes no valid board, or the board has no memories for a program.
    pub fn add(&mut self, asked: &str) -> Result<()> {
        let name = asked.to_lowercase();
        let is_known = self.chips().any(|chip| name.starts_with(&chip.name))
            || self.iter().any(|family| family.also.contains_key(&name));
        if is_known {
            return Ok(());
        }
        if let Some((family, chip)) = quintet_sim::chips::find(&name)? {
            self.0.extend(data::family(&family, &chip)?);
        }
        Ok(())
    }

    /// Returns the families, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = &Family> {
        self.0.iter()
    }

    /// Returns all chips.
    pub fn chips(&self) -> impl Iterator<Item = Chip<'_>> {
        self.iter().flat_map(Family::chips)
    }

    /// Finds a chip by its name, as `stm32f446re`, by the longer name on its package, as
    /// `STM32F446RET6`, or by the name of a board, as `nucleo-f446re`.
    ///
    /// # Errors
    /// No chip has the name. The error proposes similar names.
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
        let mut near = self.near(&name);
        near.extend(quintet_sim::chips::near(&name));
        let proposal = match near.len() {
            0 => ".".to_owned(),
            _ => format!("; did you mean {}?", near.join(", ")),
        };
        bail!(
            "no chip has the name \"{asked}\"{proposal} `quintet new --list` shows all chips. For \
             any other chip, `--board FILE` takes the core and the memories from a board file"
        )
    }

    /// Returns the known names that are most like this one, the most similar first.
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
    /// Returns the series of the family, as `stm32f4`: the chips whose code the template shares. It
    /// is the family itself if there are no others.
    pub fn series(&self) -> &str {
        match self.name.as_str() {
            name if name.starts_with("stm32") => name.get(..SERIES).unwrap_or(name),
            // A chip of the makers' data.
            name if name.starts_with("nrf") && name.contains(['_', '-']) => "nrf",
            name => name,
        }
    }

    /// Returns the letter of the LED's port, and the number of its pin; empty where the template
    /// knows the pin.
    pub fn led(&self) -> (&str, &str) {
        let pin = self.led.strip_prefix('P').unwrap_or_default();
        pin.split_at_checked(1).unwrap_or_default()
    }

    /// Returns the chips of the family.
    pub fn chips(&self) -> impl Iterator<Item = Chip<'_>> {
        self.variants.iter().map(|(rest, variant)| {
            let name = format!("{}{rest}", self.name);
            let capitals = || name.to_uppercase();
            let probe = variant.probe.clone().unwrap_or_else(capitals);
            Chip { probe, family: self, flash: variant.flash, ram: variant.ram, name }
        })
    }

    /// Returns the chip that has other names, which is on the usual board, or else the first chip.
    pub fn typical(&self) -> Option<Chip<'_>> {
        let named = self.also.values().next();
        let is_it = |chip: &Chip<'_>| named.is_none_or(|name| chip.name == *name);
        self.chips().find(is_it)
    }

    /// Returns the other names of the family's chips. Most are names of boards.
    pub fn also(&self) -> impl Iterator<Item = &str> {
        self.also.keys().map(String::as_str)
    }
}
