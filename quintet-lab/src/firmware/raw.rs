//! Raw images that are put at another address than they were linked for.
//!
//! A raw image has no addresses, but begins with a vector table, whose handlers lie within the
//! image where it belongs.

use quintet_sim::board::Board;

/// The vectors that every core has a handler for, behind the stack pointer: Reset, NMI, HardFault.
const VECTORS: std::ops::Range<usize> = 1..4;
/// Places of images are multiples of one of these powers of two; the largest comes first.
const ALIGNMENTS: std::ops::RangeInclusive<u32> = 8..=20;

/// Returns what is wrong, if the image begins with vectors, and they lead elsewhere.
pub fn misplaced(bytes: &[u8], load: u32, board: &Board) -> Option<String> {
    let (words, _) = bytes.as_chunks::<4>();
    let word = |index: usize| words.get(index).map(|word| u32::from_le_bytes(*word));
    let stack = word(0)?;
    let reset = word(1)?;
    let is_stack = stack.is_multiple_of(4) && {
        // A stack may begin behind the end of its memory.
        let top = board.memories.iter().filter(|memory| memory.start <= stack);
        top.into_iter().any(|memory| stack - memory.start <= memory.size)
    };
    if !is_stack || reset & 1 == 0 {
        return None;
    }
    let within = |load: u32, vector: u32| {
        (canonical(board, vector & !1)).wrapping_sub(canonical(board, load)) < bytes.len() as u32
    };
    if within(load, reset) {
        return None;
    }
    let fits = |place: &u32| {
        let vectors = VECTORS.filter_map(word).filter(|vector| *vector != 0);
        let mut vectors = vectors.map(|vector| vector & !1);
        let is_memory = board.memory_ranges().iter().any(|memory| memory.start <= *place);
        is_memory && vectors.all(|vector| vector.wrapping_sub(*place) < bytes.len() as u32)
    };
    let place = ALIGNMENTS.rev().map(|bits| reset & !0 << bits).find(fits)?;
    Some(format!(
        "it is not linked for {load:#010x}: its reset vector, {reset:#010x}, is no place of it \
         there; load it where it was linked for, which seems to be --load {place:#010x}"
    ))
}

/// The first of the addresses that a byte of memory has.
fn canonical(board: &Board, address: u32) -> u32 {
    let of = |start: u32, size: u32| address.checked_sub(start).filter(|offset| *offset < size);
    let found = board.memories.iter().find_map(|memory| {
        let mut starts = std::iter::once(memory.start).chain(memory.aliases.clone());
        starts.find_map(|start| of(start, memory.size)).map(|offset| memory.start + offset)
    });
    found.unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image with a stack pointer, and vectors that lead to its byte 0x40.
    fn linked_for(place: u32, size: usize) -> Vec<u8> {
        let mut bytes = 0x2000_1000_u32.to_le_bytes().to_vec();
        bytes.extend((place + 0x41).to_le_bytes().repeat(15));
        bytes.resize(size, 0xbf);
        bytes
    }

    #[test]
    fn an_image_for_another_address_says_which() {
        let board = Board::named("stm32f446").unwrap();
        let said = |place, load| misplaced(&linked_for(place, 0x200), load, &board);
        assert_eq!(said(0x0800_0000, 0x0800_0000), None);
        assert_eq!(said(0, 0x0800_0000), None, "the board has its flash there too");
        let behind = said(0x0800_4000, 0x0800_0000).unwrap();
        assert!(behind.contains("its reset vector, 0x08004041, is no place of it"), "{behind}");
        assert!(behind.ends_with("seems to be --load 0x08004000"), "{behind}");
        let first = said(0x0800_0000, 0x0800_8000).unwrap();
        assert!(first.ends_with("--load 0x08000000"), "{first}");
    }

    #[test]
    fn what_has_no_vectors_is_not_judged() {
        let board = Board::named("rp2040").unwrap();
        assert_eq!(misplaced(&[0x12; 256], 0x1000_0000, &board), None, "a second stage, perhaps");
        assert_eq!(misplaced(&[1, 2, 3], 0x1000_0000, &board), None);
        let mut even = linked_for(0, 256);
        even[4] = 0x40;
        assert_eq!(misplaced(&even, 0x1000_0000, &board), None);
    }
}
