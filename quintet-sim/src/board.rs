//! Boards: the surroundings of the processor, as data.
//!
//! A board is a TOML file: the core and its options, the memories, the devices. Some are built in
//! ([`Board::named`]); any other is read from a file ([`Board::from_file`]). The simulator's code
//! contains nothing about a particular chip, so a new chip needs no release of the tool.
//!
//! ```toml
//! name = "example"               # letters, digits, '-' and '_'
//! description = "what it is"
//! not_modelled = "what it lacks" # optional
//! core = "cortex-m3"             # or "cortex-m0", "cortex-m0plus", "cortex-m4", "cortex-m4f",
//!                                # "cortex-m7", "cortex-m7-single", "cortex-m33", "cortex-m33f"
//! core_revision = "r2p0"         # optional; CPUID
//! clock_hz = 12_000_000          # cycles a second: converts the script's and the devices' times
//! priority_bits = 3              # implemented bits of an interrupt's priority, 2 to 8
//! interrupts = 64                # external interrupts, 1 to 240
//! stack_align_reset = true       # CCR.STKALIGN after reset
//! vector_table = 0               # optional; where the core finds it after reset
//! mpu_regions = 8                # optional; 0 (also when left out) or 8
//! bit_banding = true             # optional, false without it: are there bit-band regions?
//! systick_reference_divider = 0  # optional; core cycles per reference cycle, 0: there is none
//! systick_calibration = 0        # optional; SYST_CALIB
//! universal_hex = [0x9900]       # optional; the board's identifiers in universal hex files
//! uf2_families = [0x5ee2_1072]   # optional; the families of UF2 files that it takes
//!
//! [[memory]]                     # the first ones listed are found fastest
//! name = "flash"
//! start = 0x0800_0000
//! size = 0x2_0000
//! kind = "flash"                 # the program cannot write it; "ram": it can
//! port = "code-shared"           # or "code-separate", "system": see processor::bus::Port
//! read_wait_states = 0           # optional
//! write_wait_states = 0          # optional
//! aliases = [0]                  # optional; further addresses at which the same memory appears
//! words = [[0x10, 0x1234_5678]]  # optional; what is there before anything is loaded
//!
//! [memory.front_end]             # optional, of the memory above: what stands in front of it
//! line_bytes = 16                # what the memory delivers with one read
//! wait_states = 0                # optional; the extra cycles of one read, after reset
//! buffer = "fetches"             # optional; the line read last is kept for: "none" (also when
//!                                # left out), "fetches", "all"
//! buffer_on = true               # optional; whether it is kept, after reset
//! prefetch = true                # optional; the next line is read ahead for fetches
//! prefetch_on = false            # optional; whether it is, after reset
//! instruction_lines = 64         # optional; a cache of fetches, with the line used least recently
//!                                # going first
//! instruction_ways = 64          # optional; left out: a line can be anywhere
//! instructions_on = false        # optional; whether it is on, after reset
//! data_lines = 8                 # optional; a cache of data, in which a line can be anywhere
//! data_on = false                # optional; whether it is on, after reset
//! data_shares = false            # optional; data is in the cache of fetches instead
//!
//! [memory.front_end.control]     # optional: the register by which a program sets this
//! device = "flash-interface"
//! offset = 0x00
//! wait_states = [0, 4]           # optional, as all below: the lowest bit, and how many
//! buffer = 8                     # the bit that switches it on, as those that follow
//! prefetch = 8
//! instructions = 9
//! data = 10
//! flush = [11, 12]               # bits that empty the caches while they are set
//!
//! [[timing]]                     # optional: how what matters for time is known
//! of = "wait states of flash"
//! basis = "manual"               # or "measured", "assumed", "not-timed"
//! source = "RM0390, 3.4.1"
//!
//! [[bridge]]                     # optional: addresses that answer slower than memory
//! name = "apb1"
//! start = 0x4000_0000
//! size = 0x1_0000
//! read_wait_states = 1
//! write_wait_states = 0
//!
//! [[device]]
//! name = "uart0"                 # the name in scripts and output
//! kind = "pl011"                 # see peripherals::DeviceKind
//! base = 0x4000_c000             # 0x40000000 and above, but for what is the core's own
//! interrupts = [5]               # the interrupt of each of its outputs, in the kind's order
//! port = "A"                     # GPIO only: its pins are PA0, ..; a digit gives P0.0, ..
//! size = 0x1000                  # how far its registers reach, for "inert" and "registers"
//! atomic_aliases = false         # optional; a write 0x1000, 0x2000 and 0x3000 above a register
//!                                # flips, sets and clears its bits, as in RP2040
//!
//! [[device.register]]            # of the kind "registers": see peripherals::RegisterDescription
//! offset = 0x00
//! reset = 0x83
//! follow = [{ bit = 17, of = 16, after_us = 100 }]
//! ```
//!
//! A file with `like = "stm32f103"` takes everything else from that built-in board. The table
//! `[sizes]` of such a file gives memories of the board other sizes (`flash = 0x2_0000`).

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::chips;
use crate::files;
use crate::image::{MemoryRange, Target};
use crate::peripherals::{DeviceKind, RegisterDescription, Setup};
use crate::processor::bus::{FrontTiming, Port, RegionTiming};
use crate::processor::instruction::float::FloatUnit;
use crate::processor::{Architecture, Configuration};
use crate::riscv;

pub use error::BoardError;
pub use front::FrontDescription;
pub use parts::{Interrupts, Parts};
pub use timing::{Basis, TimingBasis};
pub(crate) use validate::check_parts;

/// The distance between the registers that flip, set and clear bits of others.
pub const ALIAS: u32 = 0x1000;

mod error;
pub mod front;
mod like;
mod parts;
mod registers;
mod timing;
mod validate;

/// The boards that are built in: name and text.
const BUILT_IN: [(&str, &str); 17] = [
    ("lm3s6965", include_str!("../boards/lm3s6965.toml")),
    ("efm32pg1", include_str!("../boards/efm32pg1.toml")),
    ("microbit", include_str!("../boards/microbit.toml")),
    ("mps2-an385", include_str!("../boards/mps2-an385.toml")),
    ("mps2-an386", include_str!("../boards/mps2-an386.toml")),
    ("mps2-an505", include_str!("../boards/mps2-an505.toml")),
    ("nrf52840", include_str!("../boards/nrf52840.toml")),
    ("rp2040", include_str!("../boards/rp2040.toml")),
    ("rp2350", include_str!("../boards/rp2350.toml")),
    ("stm32f100", include_str!("../boards/stm32f100.toml")),
    ("stm32f103", include_str!("../boards/stm32f103.toml")),
    ("stm32f401", include_str!("../boards/stm32f401.toml")),
    ("stm32f405", include_str!("../boards/stm32f405.toml")),
    ("stm32f407", include_str!("../boards/stm32f407.toml")),
    ("stm32f411", include_str!("../boards/stm32f411.toml")),
    ("stm32f429", include_str!("../boards/stm32f429.toml")),
    ("stm32f446", include_str!("../boards/stm32f446.toml")),
];

/// A microcontroller and its wiring.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// The name under which a tool finds the board.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// The parts of the chip that a program does not find, in a line or two for people.
    #[serde(default)]
    pub not_modelled: Option<String>,
    /// The processor core.
    pub core: Core,
    /// The core's revision, as `r2p0`.
    #[serde(default)]
    pub core_revision: Option<String>,
    /// Core cycles a second.
    pub clock_hz: u64,
    /// Implemented bits of an interrupt priority.
    pub priority_bits: u8,
    /// External interrupts.
    pub interrupts: u16,
    /// CCR.STKALIGN after reset.
    pub stack_align_reset: bool,
    /// The address of the vector table after reset.
    #[serde(default)]
    pub vector_table: u32,
    /// Regions of the memory protection unit.
    #[serde(default)]
    pub mpu_regions: u8,
    /// `true` if the core has the bit-band regions.
    #[serde(default)]
    pub bit_banding: bool,
    /// Core cycles per cycle of SysTick's reference clock; 0 if there is none.
    #[serde(default)]
    pub systick_reference_divider: u32,
    /// The value of SYST_CALIB.
    #[serde(default)]
    pub systick_calibration: u32,
    /// The board's identifiers in files of universal hex.
    #[serde(default)]
    pub universal_hex: Vec<u16>,
    /// The families of UF2 files that the board takes.
    #[serde(default)]
    pub uf2_families: Vec<u32>,
    /// How the parts of the board's timing are known.
    #[serde(default, rename = "timing")]
    pub timing: Vec<TimingBasis>,
    /// The memories.
    #[serde(default, rename = "memory")]
    pub memories: Vec<MemoryDescription>,
    /// Slower parts of the address space.
    #[serde(default, rename = "bridge")]
    pub bridges: Vec<BridgeDescription>,
    /// The devices.
    #[serde(default, rename = "device")]
    pub devices: Vec<DeviceDescription>,
}

/// A processor core.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
pub enum Core {
    /// ARMv6-M.
    #[serde(rename = "cortex-m0")]
    CortexM0,
    /// ARMv6-M, with an optional MPU.
    #[serde(rename = "cortex-m0plus")]
    CortexM0Plus,
    /// ARMv7-M.
    #[serde(rename = "cortex-m3")]
    CortexM3,
    /// ARMv7E-M.
    #[serde(rename = "cortex-m4")]
    CortexM4,
    /// ARMv7E-M with a floating-point unit.
    #[serde(rename = "cortex-m4f")]
    CortexM4F,
    /// ARMv7E-M with a floating-point unit of double precision, FPv5-D16. This core is not timed.
    #[serde(rename = "cortex-m7")]
    CortexM7,
    /// The same with single precision only, FPv5-SP.
    #[serde(rename = "cortex-m7-single")]
    CortexM7Single,
    /// ARMv8-M mainline without the Security Extension. This core is not timed.
    #[serde(rename = "cortex-m33")]
    CortexM33,
    /// The same with a floating-point unit, FPv5-SP.
    #[serde(rename = "cortex-m33f")]
    CortexM33F,
}

/// Says if a program can write a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// Read-only for the program: a write is a bus fault. Tools can write it.
    Flash,
    /// Readable, writable, executable.
    Ram,
}

/// A port of the core, as boards name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PortName {
    /// [`Port::CodeSeparate`].
    CodeSeparate,
    /// [`Port::CodeShared`].
    CodeShared,
    /// [`Port::System`].
    System,
}

/// A memory.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryDescription {
    /// The memory's name in messages.
    pub name: String,
    /// The memory's first address.
    pub start: u32,
    /// The memory's size in bytes.
    pub size: u32,
    /// Says if the program can write the memory.
    pub kind: MemoryKind,
    /// The port through which the core reaches the memory.
    pub port: PortName,
    /// Extra cycles of a read.
    #[serde(default)]
    pub read_wait_states: u8,
    /// Extra cycles of a write.
    #[serde(default)]
    pub write_wait_states: u8,
    /// Further first addresses.
    #[serde(default)]
    pub aliases: Vec<u32>,
    /// Words that are in the memory before anything is loaded: the offset and the value of each.
    #[serde(default)]
    pub words: Vec<(u32, u32)>,
    /// The front end between the core and a memory that reads a line at a time.
    #[serde(default)]
    pub front_end: Option<FrontDescription>,
}

/// A part of the address space behind a bridge that costs time.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BridgeDescription {
    /// The bridge's name in messages.
    pub name: String,
    /// The bridge's first address.
    pub start: u32,
    /// The bridge's size in bytes.
    pub size: u32,
    /// Extra cycles of a read.
    #[serde(default)]
    pub read_wait_states: u8,
    /// Extra cycles of a write.
    #[serde(default)]
    pub write_wait_states: u8,
}

/// A device.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceDescription {
    /// The device's name in scripts and output.
    pub name: String,
    /// The device's kind.
    pub kind: DeviceKind,
    /// The address of the device's first register.
    pub base: u32,
    /// The external interrupts that the device's outputs drive, in the order that the kind
    /// documents.
    #[serde(default)]
    pub interrupts: Vec<u16>,
    /// The name of a GPIO port.
    #[serde(default)]
    pub port: Option<String>,
    /// The bytes of addresses that the device takes, if they differ from the kind's usual number.
    #[serde(default)]
    pub size: Option<u32>,
    /// `true` if the device's registers appear three times more, 0x1000 apart: a write there flips,
    /// sets and clears bits.
    #[serde(default)]
    pub atomic_aliases: bool,
    /// The registers of a device of the kind "registers" that do more than remember.
    #[serde(default, rename = "register")]
    pub registers: Vec<RegisterDescription>,
}

impl DeviceDescription {
    /// Returns how many bytes of addresses lead to the device.
    pub fn reach(&self) -> u32 {
        if self.atomic_aliases { 4 * ALIAS } else { self.span() }
    }

    /// Returns the settings that the device gets when it is made.
    pub fn setup(&self, clock_hz: u64) -> Setup<'_> {
        Setup { registers: &self.registers, span: self.span(), clock_hz }
    }

    /// Returns how many bytes of addresses the device takes.
    pub fn span(&self) -> u32 {
        self.size.unwrap_or(self.kind.span())
    }
}

impl Board {
    /// The names of the built-in boards; the first is the default.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// A built-in board, or the board of a [chip](crate::chips).
    pub fn named(name: &str) -> Result<Self, BoardError> {
        let found = BUILT_IN.iter().find(|(known, _)| *known == name);
        let Some((_, text)) = found else {
            if riscv::board::names().any(|known| known == name) {
                return Err(BoardError::OtherCore { name: name.to_owned() });
            }
            if let Some(board) = chips::board(name)? {
                return Ok(board);
            }
            let near = chips::near(name);
            let known = match near.is_empty() {
                true => Self::names().collect::<Vec<_>>().join(", "),
                false => near.join(", "),
            };
            return Err(BoardError::Unknown { name: name.to_owned(), known });
        };
        Self::parse(text, name)
    }

    /// A board from a file.
    pub fn from_file(path: &Path) -> Result<Self, BoardError> {
        let text = files::read_text(path)
            .map_err(|source| BoardError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Finds a board by the name of a built-in one, or by the path of a board file (which has a dot
    /// or a slash).
    pub fn find(name_or_path: &str) -> Result<Self, BoardError> {
        if name_or_path.contains(['/', '\\', '.']) {
            Self::from_file(Path::new(name_or_path))
        } else {
            Self::named(name_or_path)
        }
    }

    /// Reads a board from the text of a board file. `origin` names the file in messages.
    pub fn parse(text: &str, origin: &str) -> Result<Self, BoardError> {
        let syntax = |error: toml::de::Error| BoardError::Syntax {
            origin: origin.to_owned(),
            message: error.to_string(),
        };
        let refused =
            |(place, problem)| BoardError::Invalid { origin: origin.to_owned(), place, problem };
        let whole = text.parse().ok().and_then(|file| like::complete(&file)).transpose();
        let board: Self = match whole.map_err(refused)? {
            Some(whole) => Self::deserialize(whole).map_err(syntax)?,
            // From the text, for the line in the message.
            None => toml::from_str(text).map_err(syntax)?,
        };
        validate::check(&board).map_err(refused)?;
        Ok(board)
    }

    /// Checks a board that no file describes.
    pub(crate) fn check(self, origin: &str) -> Result<Self, BoardError> {
        let refused =
            |(place, problem)| BoardError::Invalid { origin: origin.to_owned(), place, problem };
        validate::check(&self).map_err(refused)?;
        Ok(self)
    }

    /// Returns the configuration of the processor.
    pub fn configuration(&self) -> Configuration {
        let (architecture, part) = match self.core {
            Core::CortexM0 => (Architecture::V6M, 0x410c_c200),
            Core::CortexM0Plus => (Architecture::V6M, 0x410c_c600),
            Core::CortexM3 => (Architecture::V7M, 0x410f_c230),
            Core::CortexM4 | Core::CortexM4F => (Architecture::V7EM, 0x410f_c240),
            Core::CortexM7 | Core::CortexM7Single => (Architecture::V7EM, 0x410f_c270),
            Core::CortexM33 | Core::CortexM33F => (Architecture::V8M, 0x410f_d210),
        };
        let revision = self.core_revision.as_deref().and_then(validate::revision).unwrap_or((0, 0));
        Configuration {
            architecture,
            floating_point: match self.core {
                Core::CortexM4F => FloatUnit::Fpv4Single,
                Core::CortexM7Single | Core::CortexM33F => FloatUnit::Fpv5Single,
                Core::CortexM7 => FloatUnit::Fpv5Double,
                _ => FloatUnit::None,
            },
            cpuid: part | u32::from(revision.0) << 20 | u32::from(revision.1),
            interrupts: self.interrupts,
            priority_bits: self.priority_bits,
            mpu_regions: self.mpu_regions,
            vector_table: self.vector_table,
            stack_alignment: self.stack_align_reset,
            bit_banding: self.bit_banding,
            systick_reference_divider: self.systick_reference_divider,
            systick_calibration: self.systick_calibration,
        }
    }

    /// The timing of the memory map, sorted by address.
    pub fn regions(&self) -> Vec<RegionTiming> {
        self.parts().regions()
    }

    /// Returns the front ends of memories after reset, in the order to which
    /// [`RegionTiming::front`] refers.
    pub fn fronts(&self) -> Vec<FrontTiming> {
        self.parts().fronts()
    }

    /// Returns every range of addresses with memory behind it, aliases included.
    pub fn memory_ranges(&self) -> Vec<MemoryRange> {
        self.parts().memory_ranges()
    }

    /// Returns the parts that the board takes of files with images for several boards.
    pub fn target(&self) -> Target {
        let (universal_hex, uf2_families) = (&self.universal_hex, &self.uf2_families);
        Target { universal_hex: universal_hex.clone(), uf2_families: uf2_families.clone() }
    }

    /// Returns how many cycles pass in `microseconds`, or the largest value if the number doesn't
    /// fit.
    pub fn cycles_of(&self, microseconds: u64) -> u64 {
        self.parts().cycles_of(microseconds)
    }
}

impl From<PortName> for Port {
    fn from(name: PortName) -> Self {
        match name {
            PortName::CodeSeparate => Self::CodeSeparate,
            PortName::CodeShared => Self::CodeShared,
            PortName::System => Self::System,
        }
    }
}

#[cfg(test)]
mod tests;
