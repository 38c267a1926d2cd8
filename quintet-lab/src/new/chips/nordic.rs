//! Chips of Nordic, each as a family of one chip.

use std::collections::BTreeMap;

use anyhow::Result;
use quintet_sim::board::Board;
use quintet_sim::chips::{Chip, Family as Data};

use super::data::dispatchers;
use super::{Family, Variant};
use crate::linker::Memories;
use crate::new::target;

/// The interrupts of the levels: units that only software triggers.
const DISPATCHERS: [&str; 2] = ["EGU", "SWI"];

/// What a chip's name begins with, the LED's pin on the maker's board with the chip, and the level
/// that lights it.
const LEDS: [(&str, &str, &str); 6] = [
    ("nrf51", "P021", "low"),
    ("nrf52832", "P017", "low"),
    ("nrf52810", "P017", "low"),
    ("nrf53", "P028", "low"),
    ("nrf91", "P02", ""),
    ("nrf", "P013", "low"),
];

/// Returns the family of a chip, or `None` if the chip has too few interrupts.
///
/// # Errors
/// The data makes no valid board, or the board has no memories for a program.
pub(super) fn family(data: &Data, chip: &Chip) -> Result<Option<Family>> {
    let board = Board::named(&chip.name)?;
    let memories = Memories::of(&board)?;
    let dispatchers = dispatchers(data, chip, &DISPATCHERS);
    let led = LEDS.iter().find(|(name, ..)| chip.name.starts_with(name));
    let (Some((_, led, lit)), [_, _]) = (led, dispatchers.as_slice()) else { return Ok(None) };
    // These have the timer of the older chips where those have it. nRF51 has no SysTick.
    let is_early = matches!(data.name.as_str(), "nrf51" | "nrf52");
    let port = match data.name.as_str() {
        "nrf51" => "GPIO",
        "nrf52" => "P0",
        _ if chip.name.ends_with("-net") => "P0_NS",
        _ => "P0_S",
    };
    let variant = Variant {
        flash: memories.code.length / 1024,
        ram: memories.data.length / 1024,
        probe: Some(probe(&chip.name)),
    };
    Ok(Some(Family {
        name: chip.name.clone(),
        board: chip.name.clone(),
        usual: String::new(),
        also: BTreeMap::new(),
        led: (*led).to_owned(),
        lit: (*lit).to_owned(),
        target: target(board.core).to_owned(),
        clock_hz: board.clock_hz,
        timer: if is_early { "nrf" } else { "systick" }.to_owned(),
        pac: format!(
            "nrf-pac = {{ version = \"0.4\", features = [\"{}\", \"rt\"] }}",
            pac(data, chip)
        ),
        device: "nrf_pac".to_owned(),
        embassy: None,
        hal: None,
        dispatchers,
        led_block: port.to_owned(),
        led_clock: None,
        has_early_ports: false,
        variants: BTreeMap::from([(String::new(), variant)]),
    }))
}

/// The feature of the crate of registers.
fn pac(data: &Data, chip: &Chip) -> String {
    let part = chip.name.split('_').next().unwrap_or(&chip.name);
    match (data.name.as_str(), part) {
        ("nrf51", _) => "nrf51".to_owned(),
        (_, "nrf5340") => "nrf5340-app".to_owned(),
        (_, "nrf9151" | "nrf9161") => "nrf9120".to_owned(),
        (_, part) => part.to_owned(),
    }
}

/// The name in probe-rs, as `nRF52832_xxAA`. A core of a chip is not known by itself.
fn probe(name: &str) -> String {
    let Some((part, variant)) = name.split_once('_') else { return "nRF5340_xxAA".to_owned() };
    let (x, letters) = variant.split_at(variant.len().min(2));
    format!("{}_{x}{}", part.replacen("nrf", "nRF", 1), letters.to_uppercase())
}
