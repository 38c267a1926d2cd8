//! What the chips of Nordic have that their makers' data doesn't say: which device of the simulator
//! a block is, the registers of other blocks that drivers wait for, and the pages with the chip's
//! own data. The registers and pages are those of the built-in boards.

use super::model::Model;
use super::read::{Chip, Device, Family};
use crate::board::{Board, BoardError, DeviceDescription, MemoryDescription};
use crate::peripherals::{DeviceKind, RegisterDescription};

/// Where the pages of the older chips are, and those of chips with a Cortex-M33.
const PAGES: [(&str, u32); 2] = [("ficr", 0x00ff_0000), ("uicr", 0x00ff_8000)];
/// How far the second core of nRF5340 has its own pages from there.
const NET: u32 = 0x0100_0000;

/// The part's number in the page of the maker's data.
const PART: u32 = 0x100;

/// The part's number in the word by which start-up code finds it.
const PARTS: [(&str, u32); 8] = [
    ("nrf51", 1),
    ("nrf52805", 0xf),
    ("nrf52810", 0xa),
    ("nrf52811", 0xe),
    ("nrf52820", 0x10),
    ("nrf52832", 6),
    ("nrf52833", 0xd),
    ("nrf52840", 8),
];

/// The devices of the boards that stand for other blocks: block, device.
const OTHERS: [(&str, &str); 8] = [
    ("radio", "radio"),
    ("spi+spim+spis+twi+twim+twis", "spi0-twi0"),
    ("spim", "spi2"),
    ("twim", "spi0-twi0"),
    ("saadc", "saadc"),
    ("adc", "adc"),
    ("temp", "temp"),
    ("wdt", "wdt"),
];

/// Returns `true` if a family is Nordic's.
pub fn is_family(family: &str) -> bool {
    family.starts_with("nrf")
}

/// The built-in board of which the chips of a family have most.
fn board(family: &str) -> Result<Board, BoardError> {
    Board::named(if family == "nrf51" { "microbit" } else { "nrf52840" })
}

/// Returns the model of a device, or `None` if there is none.
pub fn model(family: &str, device: &Device) -> Option<Model> {
    let has = |block: &str| device.block.split('+').any(|one| one == block);
    // A serial block is what its first user is on most boards: the first one a UART.
    let is_serial = has("uarte") && (!has("spim") || device.name.ends_with("UART0"));
    let kind = match device.block.as_str() {
        _ if has("clock") => DeviceKind::Nrf51Clock,
        _ if is_serial || has("uart") => DeviceKind::NrfUart,
        _ if has("egu") => DeviceKind::NrfEgu,
        "gpio" => DeviceKind::NrfGpio,
        "gpiote" => DeviceKind::NrfGpiote,
        "timer" => DeviceKind::NrfTimer,
        "rtc" => DeviceKind::NrfRtc,
        "rng" => DeviceKind::Nrf51Rng,
        "ppi" => DeviceKind::NrfPpi,
        "nvmc" if family == "nrf51" => DeviceKind::Nrf51Nvmc,
        _ if has("nvmc") => DeviceKind::Nrf52Nvmc,
        _ => return None,
    };
    let interrupts = device.interrupt(&[]).into_iter().take(kind.outputs()).collect();
    Some(Model { kind, interrupts })
}

/// Returns the registers of a device without a model.
///
/// # Errors
/// The built-in board can't be read.
pub fn registers(family: &str, device: &Device) -> Result<Vec<RegisterDescription>, BoardError> {
    let has = |block: &str| device.block.split('+').any(|one| one == block);
    let found = OTHERS.iter().find(|(block, _)| *block == device.block);
    let found = found.or_else(|| OTHERS.iter().find(|(block, _)| has(block)));
    let Some((_, name)) = found else { return Ok(Vec::new()) };
    let board = board(family)?;
    let other = board.devices.iter().find(|other| other.name == *name);
    Ok(other.map(|other| other.registers.clone()).unwrap_or_default())
}

/// Returns the pages with the chip's own data.
///
/// # Errors
/// The built-in board can't be read.
pub fn pages(family: &Family, chip: &Chip) -> Result<Vec<MemoryDescription>, BoardError> {
    let board = board(&family.name)?;
    let is_late = !matches!(family.name.as_str(), "nrf51" | "nrf52");
    let mut pages = Vec::new();
    for (name, late) in PAGES {
        let mut memories = board.memories.iter();
        let Some(page) = memories.find(|memory| memory.name == name) else { continue };
        let mut page = page.clone();
        if is_late {
            page.start = late + if chip.name.ends_with("-net") { NET } else { 0 };
            page.size = 0x1000;
            // All of it is erased, as on a new chip.
            page.words = (0..page.size / 4).map(|word| (4 * word, u32::MAX)).collect();
        } else if name == "ficr" && family.name == "nrf52" {
            let digits = chip.name.get(3..8).unwrap_or_default();
            let part = u32::from_str_radix(digits, 16).unwrap_or_default();
            page.words.retain(|(offset, _)| *offset != PART);
            page.words.push((PART, part));
        }
        pages.push(page);
    }
    Ok(pages)
}

/// What start-up code of the nRF5340 reads for an erratum.
fn erratum() -> DeviceDescription {
    DeviceDescription {
        name: "erratum".to_owned(),
        kind: DeviceKind::Registers,
        base: 0x5003_2000,
        interrupts: Vec::new(),
        port: None,
        size: Some(0x1000),
        atomic_aliases: false,
        registers: Vec::new(),
    }
}

/// Returns the devices that the makers' data lacks: words by which start-up code finds the part and
/// its revision, and what it writes to for errata.
///
/// # Errors
/// The built-in board can't be read.
pub fn more_devices(family: &Family, chip: &Chip) -> Result<Vec<DeviceDescription>, BoardError> {
    if chip.name.starts_with("nrf5340_") {
        return Ok(vec![erratum()]);
    }
    if !matches!(family.name.as_str(), "nrf51" | "nrf52") {
        return Ok(Vec::new());
    }
    let part = PARTS.iter().find(|(name, _)| chip.name.starts_with(name));
    let mut devices = board(&family.name)?.devices;
    devices.retain(|device| device.name.starts_with("errat"));
    for register in devices.iter_mut().flat_map(|device| &mut device.registers) {
        if register.name.as_deref() == Some("PART") {
            register.constant = part.map(|(_, part)| *part);
        }
    }
    Ok(devices)
}
