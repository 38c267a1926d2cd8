//! The board of a chip.

use super::model::{self, Model};
use super::read::{Chip, Device, Family, Memory};
use super::{nordic, rules};
use crate::board::{
    Basis, Board, BoardError, Core, DeviceDescription, MemoryDescription, MemoryKind, PortName,
    TimingBasis,
};
use crate::peripherals::{DeviceKind, RegisterDescription};

/// Where devices begin: what the makers' data has below is memory that a program reads.
const DEVICES: u32 = 0x4000_0000;

/// The bytes of a page of the maker's own memory: the chip's number, calibrations.
const PAGE: u32 = 0x400;

/// The bytes of a device of Nordic.
const NORDIC_SPAN: u32 = 0x1000;

/// Returns the core of a chip.
pub fn core(family: &str, chip: &str) -> Core {
    match family {
        _ if chip.ends_with("-cm4") => Core::CortexM4F,
        _ if chip.ends_with("-cm0p") => Core::CortexM0Plus,
        "stm32f0" | "nrf51" => Core::CortexM0,
        "nrf52" if has_no_unit(chip) => Core::CortexM4,
        "nrf53" if chip.ends_with("-net") => Core::CortexM33,
        "nrf53" | "nrf91" => Core::CortexM33F,
        "stm32c0" | "stm32g0" | "stm32l0" | "stm32u0" => Core::CortexM0Plus,
        "stm32f1" | "stm32f2" | "stm32l1" => Core::CortexM3,
        "stm32wl" => Core::CortexM4,
        "stm32wb" if chip.starts_with("stm32wba") => Core::CortexM33F,
        "stm32wb" if chip.starts_with("stm32wb0") => Core::CortexM0Plus,
        "stm32f7" if chip.starts_with("stm32f76") || chip.starts_with("stm32f77") => Core::CortexM7,
        "stm32f7" => Core::CortexM7Single,
        "stm32h7" => Core::CortexM7,
        "stm32h5" | "stm32l5" | "stm32u3" | "stm32u5" => Core::CortexM33F,
        _ => Core::CortexM4F,
    }
}

/// Returns `true` if a chip of the nRF52 family has no floating-point unit.
fn has_no_unit(chip: &str) -> bool {
    ["nrf52805", "nrf52810", "nrf52811", "nrf52820"].iter().any(|name| chip.starts_with(name))
}

/// Returns the clock after a reset, in hertz, from the reference manuals.
const fn clock_hz(family: &[u8], is_wba: bool) -> u64 {
    match family {
        b"stm32c0" => 12_000_000,
        b"stm32f0" | b"stm32f1" | b"stm32f3" => 8_000_000,
        b"stm32l0" | b"stm32l1" => 2_097_000,
        b"stm32wb" if is_wba => 16_000_000,
        b"stm32l4" | b"stm32l5" | b"stm32u0" | b"stm32u5" | b"stm32wb" | b"stm32wl" => 4_000_000,
        b"stm32u3" => 12_000_000,
        b"stm32h5" => 32_000_000,
        b"stm32h7" | b"nrf52" | b"nrf53" | b"nrf91" => 64_000_000,
        _ => 16_000_000,
    }
}

/// Returns the board of a chip.
///
/// # Errors
/// The data makes no valid board.
pub fn of(family: &Family, chip: &Chip) -> Result<Board, BoardError> {
    let mut names = Board::names().filter(|name| chip.name.starts_with(name));
    let board = match names.next() {
        Some(name) => like(Board::named(name)?, chip),
        None => from_data(family, chip)?,
    };
    board.check(&format!("the data of {}", chip.name))
}

/// A built-in board with the memories of one of its chips.
fn like(mut board: Board, chip: &Chip) -> Board {
    board.name.clone_from(&chip.name);
    for memory in &chip.memories {
        let is_it = |found: &&mut MemoryDescription| found.start == memory.start;
        if let Some(found) = board.memories.iter_mut().find(is_it) {
            found.size = memory.size;
        }
    }
    let core = chip.name.to_uppercase();
    board.description = format!("{core}: {}, the devices of the board", sizes(chip));
    board
}

fn from_data(family: &Family, chip: &Chip) -> Result<Board, BoardError> {
    let core = core(&family.name, &chip.name);
    let is_armv6m = matches!(core, Core::CortexM0 | Core::CortexM0Plus);
    let is_early = matches!(core, Core::CortexM3 | Core::CortexM4 | Core::CortexM4F);
    let flash = chip.memories.iter().find(|memory| memory.kind == MemoryKind::Flash);
    let start = flash.map_or(0, |memory| memory.start);
    // A core in a chip with a Cortex-M7 shares the memories at 0 with it.
    let has_other = chip.memories.iter().any(|memory| memory.start == 0);
    let aliased = (is_early || is_armv6m) && !has_other;
    let bit_banding = ["stm32f1", "stm32f2", "stm32f3", "stm32f4", "stm32l1", "stm32l4"];
    let last = family.interrupts(chip).last().map_or(0, |(number, _)| *number);
    Ok(Board {
        name: chip.name.clone(),
        description: format!(
            "{}: {}, from the maker's data",
            chip.name.to_uppercase(),
            sizes(chip)
        ),
        not_modelled: Some(
            "rates of clocks; all devices of the kind registers, whose ready bits follow their \
             enable bits at once"
                .to_owned(),
        ),
        core,
        core_revision: None,
        clock_hz: clock_hz(family.name.as_bytes(), chip.name.starts_with("stm32wba")),
        priority_bits: if is_armv6m { 2 } else { family.priority_bits.max(3) },
        interrupts: last + 1,
        stack_align_reset: true,
        vector_table: if aliased { 0 } else { start },
        mpu_regions: if is_armv6m || family.name == "stm32f1" { 0 } else { 8 },
        bit_banding: is_early && bit_banding.contains(&family.name.as_str()),
        systick_reference_divider: 8,
        systick_calibration: 0,
        universal_hex: Vec::new(),
        uf2_families: Vec::new(),
        timing: vec![TimingBasis {
            of: "memories and peripheral buses".to_owned(),
            basis: Basis::Assumed,
            source: "no wait states".to_owned(),
        }],
        memories: memories(family, chip, aliased)?,
        bridges: Vec::new(),
        devices: devices(family, chip)?,
    })
}

/// The sizes of flash and RAM, for people.
fn sizes(chip: &Chip) -> String {
    let sum = |kind: MemoryKind| {
        let memories = chip.memories.iter().filter(|memory| memory.kind == kind);
        memories.map(|memory| memory.size).sum::<u32>() / 1024
    };
    format!("{} KiB flash, {} KiB RAM", sum(MemoryKind::Flash), sum(MemoryKind::Ram))
}

fn memories(
    family: &Family,
    chip: &Chip,
    aliased: bool,
) -> Result<Vec<MemoryDescription>, BoardError> {
    let mut found: Vec<MemoryDescription> = Vec::new();
    let mut add = |memory: &Memory, aliases: Vec<u32>, words: Vec<(u32, u32)>| {
        let same = found.iter().filter(|other| other.name.starts_with(&memory.name)).count();
        let name = match same {
            0 => memory.name.clone(),
            _ => format!("{}-{}", memory.name, same + 1),
        };
        let is_code = memory.start < 0x2000_0000;
        found.push(MemoryDescription {
            name,
            start: memory.start,
            size: memory.size.next_multiple_of(4),
            kind: memory.kind,
            port: if is_code { PortName::CodeShared } else { PortName::System },
            read_wait_states: 0,
            write_wait_states: 0,
            aliases,
            words,
            front_end: None,
        });
    };
    let mut first = true;
    for memory in &chip.memories {
        let is_first = memory.kind == MemoryKind::Flash && std::mem::take(&mut first);
        add(memory, if is_first && aliased { vec![0] } else { Vec::new() }, Vec::new());
    }
    if nordic::is_family(&family.name) {
        found.extend(nordic::pages(family, chip)?);
        return Ok(found);
    }
    let mut pages: Vec<u32> = Vec::new();
    for device in family.devices(chip).iter().filter(|device| device.base < DEVICES) {
        let page = device.base / PAGE * PAGE;
        let meets = |memory: &Memory| {
            memory.start < page + PAGE && page < memory.start.saturating_add(memory.size)
        };
        if !chip.memories.iter().any(meets) && !pages.contains(&page) {
            pages.push(page);
            let kind = MemoryKind::Flash;
            let memory = Memory { name: "identity".to_owned(), kind, start: page, size: PAGE };
            // Any number, so that no driver takes the chip for one that is blank.
            let at = device.base - page;
            let words = [(at, 0x0031_0042), (at + 4, 0x3235_5105), (at + 8, 0x3635_3836)];
            add(&memory, Vec::new(), words.into_iter().filter(|(at, _)| *at < PAGE).collect());
        }
    }
    Ok(found)
}

fn devices(family: &Family, chip: &Chip) -> Result<Vec<DeviceDescription>, BoardError> {
    let mut all = family.devices(chip);
    all.retain(|device| device.base >= DEVICES);
    // Of two at one address, the one whose block is known.
    all.sort_by_key(|device| (device.base, device.block == "-"));
    all.dedup_by_key(|device| device.base);
    let mut found: Vec<DeviceDescription> = Vec::new();
    let mut free = 0;
    for (index, device) in all.iter().enumerate() {
        if device.base < free {
            continue;
        }
        if nordic::is_family(&family.name) {
            let described = match nordic::model(&family.name, device) {
                Some(model) => modelled(device, model),
                None => registers(device, NORDIC_SPAN, nordic::registers(&family.name, device)?),
            };
            found.push(described);
            continue;
        }
        let exti = all.iter().find_map(|exti| model::external(device, exti));
        let next = all.get(index + 1).map_or(u32::MAX, |next| next.base);
        let described = match exti.or_else(|| model::of(device)) {
            Some(model) => modelled(device, model),
            None => {
                let size = (next - device.base).min(model::span(&device.block));
                registers(device, size, rules::of(&device.block)?)
            }
        };
        free = described.base.saturating_add(described.span());
        found.push(described);
    }
    if nordic::is_family(&family.name) {
        found.extend(nordic::more_devices(family, chip)?);
    }
    // Memories have names as well, and names are used once.
    let memories: Vec<&str> = chip.memories.iter().map(|memory| memory.name.as_str()).collect();
    for device in &mut found {
        if memories.contains(&device.name.as_str()) {
            device.name.push_str("-interface");
        }
    }
    Ok(found)
}

fn modelled(device: &Device, model: Model) -> DeviceDescription {
    let port = device.name.strip_prefix("GPIO").or_else(|| device.name.strip_prefix('P'));
    let port = port.filter(|_| model.kind.has_pins());
    // The only port of nRF51 has no number.
    let port = port.map(|port| if port.is_empty() { "0" } else { port });
    DeviceDescription {
        name: name(device),
        kind: model.kind,
        base: device.base,
        interrupts: model.interrupts,
        port: port.map(str::to_owned),
        size: None,
        atomic_aliases: false,
        registers: Vec::new(),
    }
}

fn registers(
    device: &Device,
    size: u32,
    mut registers: Vec<RegisterDescription>,
) -> DeviceDescription {
    registers.retain(|register| register.offset < size);
    let interrupts = device.interrupt(&[]).filter(|_| registers.iter().any(interrupts));
    DeviceDescription {
        name: name(device),
        kind: DeviceKind::Registers,
        base: device.base,
        interrupts: interrupts.into_iter().collect(),
        port: None,
        size: Some(size.next_multiple_of(4)),
        atomic_aliases: false,
        registers,
    }
}

fn interrupts(register: &RegisterDescription) -> bool {
    register.interrupt.is_some()
}

fn name(device: &Device) -> String {
    device.name.to_lowercase().replace('_', "-")
}
