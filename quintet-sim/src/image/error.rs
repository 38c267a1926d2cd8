//! Why an image is refused. Each message says what was found and where, and what was expected.

use super::{BuiltFor, Format, MemoryRange, VectorTable};
use thiserror::Error;

/// Why bytes are not an image that this simulator can load.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum ImageError {
    /// Nothing there.
    #[error("the file is empty")]
    Empty,
    /// Not an ELF file.
    #[error(
        "not an ELF file: it begins with {found} instead of 7f 45 4c 46; a raw image needs the \
         address where it is to be loaded"
    )]
    NotElf {
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// The file has none of the formats that contain load addresses.
    #[error(
        "neither an ELF file nor Intel HEX, S-record or UF2: it begins with {found}; a raw image \
         needs the address where it is to be loaded"
    )]
    Unknown {
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// A record that isn't right.
    #[error(
        "{}, {}: {what}; the file has been changed or cut off since it was made: make it anew",
        format.name(),
        format.place(*place)
    )]
    Record {
        /// The file's format.
        format: Format,
        /// The line, or the offset of the block.
        place: usize,
        /// The error.
        what: String,
    },
    /// A file of records without data.
    #[error("{} without any data, so there is nothing to run", format.name())]
    Nothing {
        /// The file's format.
        format: Format,
    },
    /// A file for several boards that doesn't tell which part is for this board.
    #[error(
        "the file has images for the {what} {held}, and {}; say in the board file which is its: \
         {field} = [{example}]",
        if wanted.is_empty() { "the board doesn't say which of them it is".to_owned() }
        else { format!("the board is of {wanted}") }
    )]
    ForOthers {
        /// The kind of the identifiers: boards, families.
        what: &'static str,
        /// Those that are there.
        held: String,
        /// Those that the board takes.
        wanted: String,
        /// The field of the board file that says so.
        field: &'static str,
        /// A value for the field.
        example: String,
    },
    /// The file ends before a part that the file announces.
    #[error("the ELF file is truncated: {what} reaches to byte {needed}, the file has {length}")]
    Truncated {
        /// The part that is cut off.
        what: String,
        /// The least length of a complete file.
        needed: u64,
        /// The file's length.
        length: u64,
    },
    /// A program for another kind of machine.
    #[error("not firmware for a Cortex-M: {reason}")]
    Foreign {
        /// The kind that the file gives itself.
        reason: String,
    },
    /// A program for another kind of machine than the board's, which is a RISC-V.
    #[error(
        "not firmware for a RISC-V core, which the board has: it is for {machine}; choose another \
         board, or build it for a target as riscv32imac-unknown-none-elf"
    )]
    NotForRiscV {
        /// The kind of machine.
        machine: String,
    },
    /// The ELF file contradicts itself.
    #[error("the ELF file is damaged: {what}")]
    Malformed {
        /// The error.
        what: String,
    },
    /// The file asks for more than any firmware has; see `bounds`.
    #[error("the file has {found} {what} or more, and at most {most} are read: {advice}")]
    TooMuch {
        /// The kind of the content.
        what: &'static str,
        /// The amount that was found before the bound was passed.
        found: u64,
        /// The bound.
        most: u64,
        /// The advice.
        advice: &'static str,
    },
    /// The file has nothing to put into memory.
    #[error("the ELF file has no loadable segment, so there is nothing to run")]
    NothingToLoad,
    /// A segment reaches beyond the 32-bit address space.
    #[error("segment {index} of {length} bytes at {start:#010x} reaches beyond 0xffffffff")]
    BeyondAddressSpace {
        /// The program header's index.
        index: usize,
        /// The segment's start.
        start: u32,
        /// The segment's length.
        length: u64,
    },
    /// Built for an architecture that the board's core lacks.
    #[error(
        "it is built for {}, which the core of this board is not: what that has beyond ARMv7-M \
         would have no effect, as the limits of stacks; choose a board with a Cortex-M33 \
         (mps2-an505), or build it for this core, in Rust by --target thumbv7m-none-eabi for a \
         Cortex-M3",
        built_for.name()
    )]
    Architecture {
        /// The architecture of the image.
        built_for: BuiltFor,
    },
    /// A segment lies where the board has no memory.
    #[error(
        "segment {index} ({start:#010x} to {end:#010x}, {use_}) lies outside the board's memory: \
         {}; link the firmware for this board or choose another board",
        list(memories)
    )]
    OutsideMemory {
        /// The program header's index.
        index: usize,
        /// First address.
        start: u32,
        /// Last address.
        end: u32,
        /// The use of the range: loaded or used.
        use_: &'static str,
        /// The board's memories.
        memories: Vec<MemoryRange>,
    },
    /// The vector table is blank.
    #[error(
        "no vector table at {address:#010x}: the first two words are {stack_pointer:#010x} and \
         {reset:#010x}; a Cortex-M image begins with the initial stack pointer and the reset \
         vector, where the linker's script puts them: for cortex-m-rt that is link.x, which \
         build.rs has to name"
    )]
    NoVectorTable {
        /// Where the processor looks for the table.
        address: u32,
        /// The first word.
        stack_pointer: u32,
        /// The second word.
        reset: u32,
    },
    /// The initial stack pointer is not in memory that can be written.
    #[error(
        "{table}: its stack pointer {stack_pointer:#010x} isn't in RAM or just above it: {}; link \
         the firmware for this board or choose another board",
        list(memories)
    )]
    StackPointer {
        /// The vector table.
        table: VectorTable,
        /// The table's first word.
        stack_pointer: u32,
        /// The board's writable memories.
        memories: Vec<MemoryRange>,
    },
    /// The reset vector is not the address of Thumb code.
    #[error("{table} has the reset vector {reset:#010x}, {reason}")]
    ResetVector {
        /// The vector table.
        table: VectorTable,
        /// The table's second word.
        reset: u32,
        /// The error.
        reason: String,
    },
    /// A vector table that the processor can't be pointed at.
    #[error(
        "{table} isn't aligned to {} bytes, so that VTOR can't point at it; align it in the linker \
         script",
        super::table::ALIGNMENT
    )]
    Misaligned {
        /// The vector table.
        table: VectorTable,
    },
}

/// The memories as a list for a message.
pub(super) fn list(memories: &[MemoryRange]) -> String {
    let ranges: Vec<String> = memories
        .iter()
        .map(|memory| format!("{} {:#010x} to {:#010x}", memory.name, memory.start, memory.last()))
        .collect();
    if ranges.is_empty() { "the board has none".into() } else { ranges.join(", ") }
}
