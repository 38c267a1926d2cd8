//! The vector table, and the handlers that it names.
//!
//! The processor reads vectors where its register says: after reset, at the board's address or
//! where a loader has found the table. A board may show the image there by an alias. Code may move
//! the table. Where a table is not known, nor are handlers, and that is open.

use std::collections::{BTreeMap, BTreeSet};

use quintet_sim::board::{Board, MemoryDescription, MemoryKind};
use quintet_sim::image::Image;

use super::bound::{Cause, Conditions, Handler, Open};
use super::graph::Program;
use super::knowledge::Known;
use super::system::writes;
use crate::firmware::Firmware;
use crate::firmware::code::halfword;

/// The bits of VTOR.
const TABLE_MASK: u32 = !0x7f;
/// The vector of reset.
const RESET: u16 = 1;

/// The vectors of an image.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vectors {
    /// The handlers, reset's among them, with the addresses of their vectors.
    pub handlers: Vec<(Handler, u32)>,
    /// Why handlers may be others.
    pub open: BTreeSet<Open>,
}

impl Vectors {
    /// The table from which the processor starts.
    pub fn at_reset(firmware: &Firmware, conditions: &Conditions<'_>) -> Self {
        let (image, board, table) = (&firmware.image, conditions.board, conditions.vector_table);
        let mut vectors = Self::default();
        if word(image, board, table.wrapping_add(4 * u32::from(RESET))).is_none() {
            vectors.add_open(table, Cause::NoVectors);
            return vectors;
        }
        let is_ram = |one: &MemoryDescription| one.kind == MemoryKind::Ram;
        if memory(board, table).is_some_and(|(one, _)| is_ram(one)) {
            vectors.add_open(table, Cause::VectorsMove);
        }
        let length = length(image, board, table);
        for exception in 1..16 + board.interrupts {
            let address = table.wrapping_add(4 * u32::from(exception));
            let Some(vector) = word(image, board, address).filter(|vector| vector & 1 != 0) else {
                // An exception with an even vector, or one of no memory, ends in a fault.
                continue;
            };
            let entry = vector & !1;
            if halfword(image, entry).is_some() {
                vectors.handlers.push((Handler { exception, entry }, address));
            } else if memory(board, entry).is_some() && address - table < length {
                vectors.add_open(address, Cause::NoVectors);
            }
        }
        vectors
    }

    /// The code that the vector of an exception leads to.
    pub fn handler(&self, exception: u16) -> Option<u32> {
        let mut all = self.handlers.iter();
        let found = all.find(|(handler, _)| handler.exception == exception);
        found.map(|(handler, _)| handler.entry).filter(|_| self.open.is_empty())
    }

    /// Each handler with the address of a vector of its.
    pub fn by_entry(&self) -> BTreeMap<u32, u32> {
        self.handlers.iter().map(|(handler, vector)| (handler.entry, *vector)).collect()
    }

    /// What of the program moves the table elsewhere.
    pub fn moved(
        &self,
        firmware: &Firmware,
        conditions: &Conditions<'_>,
        (program, known): (&Program, &Known),
    ) -> BTreeSet<Open> {
        let all = writes(&firmware.image, program, known).into_iter();
        let moves = all.filter(|write| write.moves_table()).filter(|write| {
            let table = write.value.filter(|(_, size)| *size == 4).map(|(value, _)| value);
            let (board, usual) = (conditions.board, conditions.vector_table);
            let place = |table: u32| {
                let (memory, offset) = memory(board, table & TABLE_MASK)?;
                Some((memory.start, offset))
            };
            table.is_none_or(|table| place(table).is_none() || place(table) != place(usual))
        });
        let open = moves.map(|write| Open {
            function: write.function,
            address: write.address,
            cause: Cause::VectorsMove,
        });
        open.collect()
    }

    fn add_open(&mut self, address: u32, cause: Cause) {
        self.open.insert(Open { function: address, address, cause });
    }
}

/// The memory at an address or at an alias of it, and the offset in the memory.
fn memory(board: &Board, address: u32) -> Option<(&MemoryDescription, u32)> {
    board.memories.iter().find_map(|memory| {
        let starts = std::iter::once(memory.start).chain(memory.aliases.iter().copied());
        let mut offsets = starts.map(|start| address.wrapping_sub(start));
        offsets.find(|offset| *offset < memory.size).map(|offset| (memory, offset))
    })
}

/// The bytes of the section that begins with a table: behind it there is something else.
fn length(image: &Image, board: &Board, table: u32) -> u32 {
    let begins = |start: u32| {
        let place = |address| memory(board, address).map(|(memory, offset)| (memory.start, offset));
        place(start).is_some() && place(start) == place(table)
    };
    let section = image.sections.iter().find(|one| one.load_address.is_some_and(begins));
    section.map_or(u32::MAX, |section| section.size)
}

/// The word that is loaded at an address, or at an alias of it.
fn word(image: &Image, board: &Board, address: u32) -> Option<u32> {
    let (memory, offset) = memory(board, address)?;
    let starts = std::iter::once(memory.start).chain(memory.aliases.iter().copied());
    let mut addresses = starts.map(|start| start.wrapping_add(offset));
    addresses.find_map(|address| {
        image.segments.iter().find_map(|segment| {
            let at = address.wrapping_sub(segment.load_address) as usize;
            let bytes = segment.bytes.get(at..at.checked_add(4)?)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        })
    })
}
