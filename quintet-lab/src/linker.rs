//! The linker's data about a board: the places of code and data.

mod harts;

use std::fmt::Write;

use anyhow::{Result, bail};
use quintet_sim::board::{Board, MemoryDescription, MemoryKind};

pub use harts::{HartMemories, with_interruptor};

/// The beginning of SRAM in microcontrollers with a Cortex-M core. Some have it beyond.
const SRAM: u32 = 0x2000_0000;

/// The bytes of a second-stage boot loader, in front of the vector table.
const BOOT_LOADER: u32 = 0x100;

/// The part of a memory that a program may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// The memory's name on the board.
    pub name: String,
    /// The region's first address.
    pub origin: u32,
    /// The region's length in bytes.
    pub length: u32,
}

/// The memories of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memories {
    /// The region of the vector table and the code, usually flash.
    pub code: Region,
    /// The region of the data and the main stack.
    pub data: Region,
    /// In front of the code, the second stage of the boot loader, where the chip has one.
    pub boot_loader: Option<Region>,
}

impl Memories {
    /// Those of a board: code where the vector table is, data in SRAM.
    ///
    /// # Errors
    /// There is no memory at the vector table, or no other RAM.
    pub fn of(board: &Board) -> Result<Self> {
        let holds = |memory: &&MemoryDescription| {
            let mut starts = memory.aliases.iter().chain([&memory.start]);
            starts.any(|start| board.vector_table.wrapping_sub(*start) < memory.size)
        };
        let code = board.memories.iter().find(holds);
        let is_data = |memory: &&MemoryDescription| {
            memory.kind == MemoryKind::Ram && memory.start >= SRAM && Some(*memory) != code
        };
        let data = board.memories.iter().find(is_data);
        let (Some(code), Some(data)) = (code, data) else {
            bail!(
                "board \"{}\" has no memory at its vector table ({:#x}), or no RAM from {SRAM:#x} \
                 on",
                board.name,
                board.vector_table
            );
        };
        let has_loader = board.vector_table.wrapping_sub(code.start) == BOOT_LOADER;
        let before = if has_loader { BOOT_LOADER } else { 0 };
        let region = |memory: &MemoryDescription, before: u32| Region {
            name: memory.name.clone(),
            origin: memory.start + before,
            length: memory.size - before,
        };
        let boot_loader = has_loader.then(|| Region { length: BOOT_LOADER, ..region(code, 0) });
        Ok(Self { code: region(code, before), data: region(data, 0), boot_loader })
    }

    /// The file `memory.x` of cortex-m-rt.
    pub fn script(&self) -> String {
        let mut regions = String::new();
        let named = [("FLASH", Some(&self.code)), ("RAM", Some(&self.data))];
        for (name, region) in [("BOOT2", self.boot_loader.as_ref())].into_iter().chain(named) {
            let Some(Region { origin, length, .. }) = region else { continue };
            let _ = writeln!(regions, "  {name} : ORIGIN = {origin:#010x}, LENGTH = {length:#x}");
        }
        let sections = if self.boot_loader.is_some() {
            "SECTIONS {\n  .boot2 ORIGIN(BOOT2) : { KEEP(*(.boot2)); } > BOOT2\n} INSERT BEFORE \
             .text;\n"
        } else {
            ""
        };
        format!("MEMORY {{\n{regions}}}\n{sections}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(name: &str) -> String {
        Memories::of(&Board::named(name).unwrap()).unwrap().script()
    }

    #[test]
    fn the_linker_gets_the_memories_of_the_board() {
        let script = script("stm32f446");
        assert!(script.contains("FLASH : ORIGIN = 0x08000000, LENGTH = 0x80000"), "{script}");
        assert!(script.contains("RAM : ORIGIN = 0x20000000, LENGTH = 0x20000"), "{script}");
        assert!(!script.contains("BOOT2"), "{script}");
    }

    #[test]
    fn a_boot_loader_has_its_place_in_front_of_the_code() {
        let script = script("rp2040");
        assert!(script.contains("BOOT2 : ORIGIN = 0x10000000, LENGTH = 0x100\n"), "{script}");
        assert!(script.contains("FLASH : ORIGIN = 0x10000100, LENGTH = 0x1fff00"), "{script}");
        assert!(script.contains(".boot2 ORIGIN(BOOT2)"), "{script}");
    }

    #[test]
    fn every_built_in_board_can_run_firmware() {
        for name in Board::names() {
            assert!(Memories::of(&Board::named(name).unwrap()).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_board_without_ram_is_refused() {
        let text = "like = \"stm32f100\"\nvector_table = 0x6000_0000";
        let board = Board::parse(text, "my.toml").unwrap();
        let message = Memories::of(&board).unwrap_err().to_string();
        let expected = "board \"stm32f100\" has no memory at its vector table (0x60000000), or no";
        assert!(message.starts_with(expected), "{message}");
    }
}
