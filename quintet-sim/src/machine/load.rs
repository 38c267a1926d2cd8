//! Loads an image into memory, and decides from which vector table the processor starts.

use super::Machine;
use crate::image::{Found, Image, ImageError, VectorTable, check_vector_table};
use crate::rtt::Hosting as _;
use std::sync::Arc;

/// The vectors that every firmware has.
const RESET: u32 = 4;
const NMI: u32 = 8;
const HARD_FAULT: u32 = 12;

impl Machine {
    /// Loads an image into memory, as a debugger's `load` does. [`Machine::reset`] must follow.
    ///
    /// The processor starts from the vector table at the board's address. An image without a table
    /// there starts from its own table, as a chip's boot pins or boot ROM, a bootloader or a
    /// debugger would do: [`VectorTable`] says how the table is found.
    pub fn load(&mut self, image: &Image) -> Result<(), ImageError> {
        self.load_with_table(image, None)
    }

    /// The same, but starts from the vector table at `table` where that is given.
    pub fn load_with_table(&mut self, image: &Image, table: Option<u32>) -> Result<(), ImageError> {
        image.check_architecture(self.processor.configuration.architecture)?;
        image.check_memories(&self.board.memory_ranges())?;
        for segment in &image.segments {
            // The check has shown that every address is in memory.
            let _ = self.processor.bus.poke(segment.load_address, &segment.bytes);
        }
        self.processor.flush_decoded();
        self.expect_rtt(image);
        let table = match table {
            Some(address) => {
                let table = VectorTable { address, found: Found::Asked };
                self.check_table(&table)?;
                table
            }
            None => self.find_table(image)?,
        };
        self.processor.configuration.vector_table = table.address;
        self.table = Arc::new(table);
        Ok(())
    }

    /// Returns where the processor finds the vector table after a reset.
    pub fn vector_table(&self) -> u32 {
        self.processor.configuration.vector_table
    }

    /// Returns the vector table, and how it was found.
    pub fn found_table(&self) -> &VectorTable {
        &self.table
    }

    fn find_table(&self, image: &Image) -> Result<VectorTable, ImageError> {
        let usual = VectorTable { address: self.board.vector_table, found: Found::Board };
        let Err(mut refusal) = self.check_table(&usual) else { return Ok(usual) };
        let mut is_first = true;
        let mut refuse = |error: ImageError| {
            if is_first && !matches!(error, ImageError::NoVectorTable { .. }) {
                refusal = error;
                is_first = false;
            }
        };
        for table in image.tables_by_name_and_entry() {
            match self.check_table(&table) {
                Ok(()) => return Ok(table),
                Err(error) => refuse(error),
            }
        }
        // Otherwise the image begins with something else, or was made for another address.
        let used = image.used();
        for table in image.tables_by_place().filter(|table| self.starts_itself(&used, table)) {
            match self.check_table(&table) {
                Ok(()) => return Ok(table),
                Err(error) if table.found == Found::First => refuse(error),
                Err(_) => {}
            }
        }
        Err(refusal)
    }

    fn check_table(&self, table: &VectorTable) -> Result<(), ImageError> {
        let word = |offset| self.read_word(table.address.wrapping_add(offset)).unwrap_or(0);
        check_vector_table(table, word(0), word(4), &self.board.memory_ranges())
    }

    /// Returns `true` if the reset vector is code of the image. For words that only look like a
    /// table, the vectors beside it that every firmware has must be code too.
    fn starts_itself(&self, used: &[(u32, u64)], table: &VectorTable) -> bool {
        let vector = |offset| self.read_word(table.address.wrapping_add(offset)).unwrap_or(0);
        let is_used = |address: u32| {
            let behind = used.partition_point(|(start, _)| *start <= address);
            behind > 0 && u64::from(address) < used[behind - 1].1
        };
        match table.found {
            Found::First => is_used(vector(RESET) & !1),
            _ => [RESET, NMI, HARD_FAULT]
                .map(vector)
                .into_iter()
                .all(|vector| vector & 1 != 0 && is_used(vector & !1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::image::Section;
    use crate::machine::{Stop, Until};

    /// A board whose flash begins with data for its boot ROM, and with devices of its chip beside
    /// the core's own registers.
    const BOARD: &str = r#"
name = "booted"
description = "boots from 0x10000000"
core = "cortex-m3"
clock_hz = 1_000_000
priority_bits = 4
interrupts = 8
stack_align_reset = true
vector_table = 0x1000_0000

[[memory]]
name = "flash"
start = 0x1000_0000
size = 0x1000
kind = "flash"
port = "code-shared"

[[memory]]
name = "ram"
start = 0x2000_0000
size = 0x1000
kind = "ram"
port = "system"

[[device]]
name = "dbgmcu"
kind = "inert"
base = 0xe004_2000
size = 0x400

[[device]]
name = "ficr"
kind = "inert"
base = 0xf000_0000
size = 0x1000
"#;

    /// A header of 256 bytes, a table at 0x10000100 with the given stack pointer, code at
    /// 0x10000180, and one vector for all.
    fn image(stack_pointer: u32, code: &[u16]) -> Image {
        let mut bytes = [0x4b32_b500_u32, 0x6058_2021].map(u32::to_le_bytes).concat();
        bytes.resize(0x100, 0);
        let table = [stack_pointer, 0x1000_0181, 0x1000_0181, 0x1000_0181];
        bytes.extend(table.map(u32::to_le_bytes).concat());
        bytes.resize(0x180, 0);
        bytes.extend(code.iter().flat_map(|halfword| halfword.to_le_bytes()));
        Image::raw(&bytes, 0x1000_0000).expect("an image")
    }

    fn machine() -> Machine {
        Machine::new(&Board::parse(BOARD, "test").expect("valid"))
    }

    fn found(image: &Image) -> Result<(u32, Found), String> {
        let mut machine = machine();
        machine.load(image).map_err(|error| error.to_string())?;
        machine.reset();
        assert_eq!(machine.pc(), 0x1000_0180);
        Ok((machine.vector_table(), machine.found_table().found.clone()))
    }

    fn isr_vector() -> Section {
        Section {
            name: ".isr_vector".into(),
            address: 0x1000_0100,
            load_address: Some(0x1000_0100),
            size: 0x40,
            executable: false,
            writable: false,
        }
    }

    #[test]
    fn a_table_behind_a_header_is_found_by_name_entry_or_shape() {
        let mut image = image(0x2000_1000, &[0xe7fe]);
        assert_eq!(found(&image), Ok((0x1000_0100, Found::Shape)));
        image.entry = Some(0x1000_0180);
        assert_eq!(found(&image), Ok((0x1000_0100, Found::Entry)));
        image.sections.push(isr_vector());
        assert_eq!(found(&image), Ok((0x1000_0100, Found::Section(".isr_vector".into()))));
    }

    #[test]
    fn the_trouble_of_the_table_that_the_file_has_is_told_not_that_of_the_header() {
        let mut image = image(0x2000_8000, &[0xe7fe]);
        image.entry = Some(0x1000_0180);
        let message = found(&image).expect_err("no RAM there");
        let expected = "the vector table at 0x10000100 (its reset vector is the file's entry): its \
                        stack pointer 0x20008000 isn't in RAM or just above it: ram 0x20000000 to \
                        0x20000fff;";
        assert!(message.starts_with(expected), "{message}");
        image.entry = None;
        let message = found(&image).expect_err("nothing looks like a table");
        let expected = "the vector table at 0x10000000 (where the board has it): its stack pointer \
                        0x4b32b500 isn't in RAM";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn a_table_that_is_asked_for_is_taken_or_refused() {
        let image = image(0x2000_1000, &[0xe7fe]);
        let mut machine = machine();
        assert_eq!(machine.load_with_table(&image, Some(0x1000_0100)), Ok(()));
        assert_eq!(machine.found_table().found, Found::Asked);
        let error = machine.load_with_table(&image, Some(0x1000_0200)).expect_err("blank");
        assert!(error.to_string().starts_with("no vector table at 0x10000200"), "{error}");
    }

    #[test]
    fn where_the_board_has_a_table_it_is_taken_whatever_else_is_there() {
        let mut image = image(0x2000_1000, &[0xe7fe]);
        let table = [0x2000_0800_u32, 0x1000_0181].map(u32::to_le_bytes).concat();
        image.segments[0].bytes[..8].copy_from_slice(&table);
        image.sections.push(isr_vector());
        assert_eq!(found(&image), Ok((0x1000_0000, Found::Board)));
    }

    /// Stores to the address in R0, loads from it, and ends in a loop. Returns the program counter.
    fn access(address: u32) -> u32 {
        // ldr r0,[pc,#8]; str r1,[r0]; ldr r1,[r0]; b .
        let (low, high) = (address as u16, (address >> 16) as u16);
        let code = [0x4802, 0x6001, 0x6801, 0xbf00, 0xe7fe, 0xbf00, low, high];
        let mut image = image(0x2000_1000, &code);
        // HardFault jumps to itself elsewhere.
        image.segments[0].bytes[0x10c..0x110].copy_from_slice(&0x1000_0189_u32.to_le_bytes());
        let mut machine = machine();
        machine.load(&image).expect("it fits");
        machine.reset();
        let until = Until { max_cycles: Some(200), ..Until::default() };
        assert_eq!(machine.run(&until), Stop::CycleLimit);
        u32::from(machine.processor.registers.ipsr)
    }

    #[test]
    fn devices_beside_the_cores_own_registers_answer() {
        for address in [0xe004_2000, 0xe004_23fc, 0xf000_0fe0, 0xf000_0000] {
            assert_eq!(access(address), 0, "{address:#x}");
            let mut word = [1; 4];
            assert_eq!(machine().read_memory(address, &mut word), Ok(()));
            assert_eq!(word, [0; 4]);
            assert_eq!(machine().write_memory(address, &word), Ok(()));
        }
        for address in [0xe004_2400, 0xf000_1000, 0xe010_0000] {
            assert_eq!(access(address), 3, "{address:#x} is a HardFault");
            assert!(machine().read_memory(address, &mut [0; 4]).is_err());
        }
    }
}
