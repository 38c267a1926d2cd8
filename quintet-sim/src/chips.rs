//! Chips: boards from the data of their makers.
//!
//! A file of `quintet-sim/chips` has one family: the memories of each chip, and the interrupts and
//! devices of groups of chips, each device with the version of its block. `cargo xtask chips`
//! writes these files. `model` knows which device of the simulator is which block, and a block
//! without a model is named registers. `rules` has the bits of clocks and regulators that
//! start-up code waits for. `board` puts them together.
//!
//! A chip that is of the family of a built-in board gets that board, with the chip's memories.

use crate::board::{Board, BoardError};

mod board;
mod model;
mod nordic;
mod read;
mod rules;
#[cfg(test)]
mod tests;

pub use read::{Chip, Device, Family, Memory, Signal};

/// The families: name and text.
const FAMILIES: [(&str, &str); 24] = [
    ("nrf51", include_str!("../chips/nrf51.toml")),
    ("nrf52", include_str!("../chips/nrf52.toml")),
    ("nrf53", include_str!("../chips/nrf53.toml")),
    ("nrf91", include_str!("../chips/nrf91.toml")),
    ("stm32c0", include_str!("../chips/stm32c0.toml")),
    ("stm32f0", include_str!("../chips/stm32f0.toml")),
    ("stm32f1", include_str!("../chips/stm32f1.toml")),
    ("stm32f2", include_str!("../chips/stm32f2.toml")),
    ("stm32f3", include_str!("../chips/stm32f3.toml")),
    ("stm32f4", include_str!("../chips/stm32f4.toml")),
    ("stm32f7", include_str!("../chips/stm32f7.toml")),
    ("stm32g0", include_str!("../chips/stm32g0.toml")),
    ("stm32g4", include_str!("../chips/stm32g4.toml")),
    ("stm32h5", include_str!("../chips/stm32h5.toml")),
    ("stm32h7", include_str!("../chips/stm32h7.toml")),
    ("stm32l0", include_str!("../chips/stm32l0.toml")),
    ("stm32l1", include_str!("../chips/stm32l1.toml")),
    ("stm32l4", include_str!("../chips/stm32l4.toml")),
    ("stm32l5", include_str!("../chips/stm32l5.toml")),
    ("stm32u0", include_str!("../chips/stm32u0.toml")),
    ("stm32u3", include_str!("../chips/stm32u3.toml")),
    ("stm32u5", include_str!("../chips/stm32u5.toml")),
    ("stm32wb", include_str!("../chips/stm32wb.toml")),
    ("stm32wl", include_str!("../chips/stm32wl.toml")),
];

/// The most letters that the name on a package has behind a chip's name, as `U6TR`.
const PACKAGE_LETTERS: usize = 5;

/// The most names that an error proposes.
const NEAR_MAX: usize = 12;

/// Returns the names of the families.
pub fn families() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().map(|(name, _)| *name)
}

/// Reads a family by its name.
///
/// # Errors
/// The data can't be read: the tool was built from damaged files.
pub fn family(name: &str) -> Result<Option<Family>, BoardError> {
    let Some((_, text)) = FAMILIES.iter().find(|(known, _)| *known == name) else {
        return Ok(None);
    };
    Family::parse(name, text).map(Some)
}

/// Returns the names of all chips, in small letters.
pub fn names() -> Vec<String> {
    let families = families().filter_map(|name| family(name).ok().flatten());
    families.flat_map(|family| family.chips.into_iter().map(|chip| chip.name)).collect()
}

/// Finds a chip by its name in any letters, as `STM32F411CE`, or by the longer name on its package,
/// as `STM32F411CEU6`.
///
/// # Errors
/// The data can't be read.
pub fn find(asked: &str) -> Result<Option<(Family, Chip)>, BoardError> {
    let name = asked.to_lowercase();
    let Some(family) = families().find(|family| name.starts_with(family)) else {
        return Ok(None);
    };
    let Some(family) = self::family(family)? else { return Ok(None) };
    let is_it = |chip: &&Chip| {
        let rest = name.strip_prefix(chip.name.as_str());
        rest.is_some_and(|rest| rest.len() <= PACKAGE_LETTERS)
    };
    let chip = family.chips.iter().filter(is_it).max_by_key(|chip| chip.name.len()).cloned();
    Ok(chip.map(|chip| (family, chip)))
}

/// Returns the names of chips that begin as this one does, where there are some: those that share
/// the most letters.
pub fn near(asked: &str) -> Vec<String> {
    let asked = asked.to_lowercase();
    let shared = |name: &str| {
        let letters = name.bytes().zip(asked.bytes());
        letters.take_while(|(a, b)| a == b).count()
    };
    let Some(family) = families().find(|family| asked.starts_with(family)) else {
        return Vec::new();
    };
    let Ok(Some(family)) = self::family(family) else { return Vec::new() };
    let most = family.chips.iter().map(|chip| shared(&chip.name)).max().unwrap_or(0);
    let near = family.chips.into_iter().filter(|chip| shared(&chip.name) == most);
    near.map(|chip| chip.name).take(NEAR_MAX).collect()
}

/// Returns the boards of all chips whose names contain a text.
///
/// # Errors
/// The data makes no valid board.
pub fn boards_with(part: &str) -> Result<Vec<Board>, BoardError> {
    let part = part.to_lowercase();
    let mut boards = Vec::new();
    for name in families() {
        let Some(family) = self::family(name)? else { continue };
        for chip in family.chips.iter().filter(|chip| chip.name.contains(&part)) {
            boards.push(board::of(&family, chip)?);
        }
    }
    Ok(boards)
}

/// Returns how many chips there are.
pub fn count() -> usize {
    names().len()
}

/// Returns the board of a chip, or `None` if no chip has the name.
///
/// # Errors
/// The data makes no valid board.
pub fn board(asked: &str) -> Result<Option<Board>, BoardError> {
    let Some((family, chip)) = find(asked)? else { return Ok(None) };
    board::of(&family, &chip).map(Some)
}
