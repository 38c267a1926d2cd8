//! Checks that an image fits a board: its segments lie in memory, and its vector table makes sense.

use super::error::list;
use super::table::{ALIGNMENT, VectorTable};
use super::{BuiltFor, Image, ImageError, Segment};
use crate::processor::Architecture;

/// A memory of a board, for the checks. An alias is a range of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryRange {
    /// The board's name for the memory.
    pub name: String,
    /// First address.
    pub start: u32,
    /// Size in bytes.
    pub size: u32,
    /// `true` if firmware can write the memory (RAM).
    pub writable: bool,
}

impl MemoryRange {
    /// The last address.
    pub fn last(&self) -> u32 {
        self.start.saturating_add(self.size.saturating_sub(1))
    }

    /// Returns `true` if the memory contains all of `start..start + length`.
    pub fn contains(&self, start: u32, length: u32) -> bool {
        start >= self.start
            && u64::from(start) + u64::from(length) <= u64::from(self.start) + u64::from(self.size)
    }
}

impl Image {
    /// Checks that the image can run on this core. Code for ARMv8-M is refused on other cores: it
    /// may use features that have no effect there, and no fault would tell. Instructions that only
    /// ARMv7E-M has are undefined on other cores. They fault if the program reaches them, so the
    /// image is accepted.
    pub fn check_architecture(&self, core: Architecture) -> Result<(), ImageError> {
        match self.built_for {
            Some(built_for @ BuiltFor::V8M) if core != Architecture::V8M => {
                Err(ImageError::Architecture { built_for })
            }
            _ => Ok(()),
        }
    }

    /// Checks that every segment is loaded into, and used in, memory that the board has.
    ///
    /// Memory without content is not checked in the address ranges of devices and of the system
    /// (B3.1): some linker scripts declare registers that way.
    pub fn check_memories(&self, memories: &[MemoryRange]) -> Result<(), ImageError> {
        for segment in &self.segments {
            let length = u32::try_from(segment.bytes.len()).unwrap_or(u32::MAX);
            check_range(segment, segment.load_address, length, "loaded", memories)?;
            let is_memory = matches!(segment.address >> 29, 0 | 1 | 3 | 4);
            if is_memory || length > 0 {
                check_range(segment, segment.address, segment.memory_size, "used", memories)?;
            }
        }
        Ok(())
    }
}

fn check_range(
    segment: &Segment,
    start: u32,
    length: u32,
    use_: &'static str,
    memories: &[MemoryRange],
) -> Result<(), ImageError> {
    if length == 0 || covered(start, length, memories) {
        return Ok(());
    }
    let end = start.saturating_add(length - 1);
    let memories = memories.to_vec();
    Err(ImageError::OutsideMemory { index: segment.index, start, end, use_, memories })
}

/// Returns `true` if the memories together cover the range: a segment may span two that adjoin.
fn covered(start: u32, length: u32, memories: &[MemoryRange]) -> bool {
    let end = u64::from(start) + u64::from(length);
    let mut at = u64::from(start);
    // Each round passes the end of one memory, so there are at most as many rounds as memories.
    for _ in 0..memories.len() {
        let Some(memory) = memories.iter().find(|memory| {
            at >= u64::from(memory.start) && at < u64::from(memory.start) + u64::from(memory.size)
        }) else {
            return false;
        };
        at = u64::from(memory.start) + u64::from(memory.size);
        if at >= end {
            return true;
        }
    }
    false
}

/// Checks the two words that the processor takes from the vector table at reset (B1.5.5).
pub fn check_vector_table(
    table: &VectorTable,
    stack_pointer: u32,
    reset: u32,
    memories: &[MemoryRange],
) -> Result<(), ImageError> {
    let (table, address) = (table.clone(), table.address);
    let blank = |word| word == 0 || word == u32::MAX;
    if blank(stack_pointer) && blank(reset) {
        return Err(ImageError::NoVectorTable { address, stack_pointer, reset });
    }
    // A full-descending stack may start one past the end of the RAM.
    let in_ram = memories.iter().any(|memory| {
        memory.writable
            && stack_pointer > memory.start
            && u64::from(stack_pointer) <= u64::from(memory.start) + u64::from(memory.size)
    });
    if !in_ram {
        let memories = memories.iter().filter(|memory| memory.writable).cloned().collect();
        return Err(ImageError::StackPointer { table, stack_pointer, memories });
    }
    if !memories.iter().any(|memory| memory.contains(reset & !1, 2)) {
        let reason = format!("which is not in memory: {}", list(memories));
        return Err(ImageError::ResetVector { table, reset, reason });
    }
    if reset & 1 == 0 {
        let reason =
            "whose bit 0 is clear: a Cortex-M executes only Thumb code, so vectors are odd";
        return Err(ImageError::ResetVector { table, reset, reason: reason.into() });
    }
    if !address.is_multiple_of(ALIGNMENT) {
        return Err(ImageError::Misaligned { table });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Found;

    fn board() -> Vec<MemoryRange> {
        let memory = |name: &str, start, size, writable| MemoryRange {
            name: name.into(),
            start,
            size,
            writable,
        };
        vec![memory("flash", 0, 0x4_0000, false), memory("ram", 0x2000_0000, 0x1_0000, true)]
    }

    fn segment(load_address: u32, address: u32, bytes: usize, memory_size: u32) -> Image {
        let bytes = vec![0; bytes];
        let segment = Segment { index: 3, load_address, address, bytes, memory_size };
        Image { segments: vec![segment], ..Image::default() }
    }

    #[test]
    fn segments_in_memory_pass() {
        let fits =
            |load, run, bytes, size| segment(load, run, bytes, size).check_memories(&board());
        assert_eq!(fits(0, 0, 0x4_0000, 0x4_0000), Ok(()));
        assert_eq!(fits(0x100, 0x2000_0000, 16, 0x1_0000), Ok(()));
        assert_eq!(fits(0x2000_0000, 0x2000_0000, 0, 0x1_0000), Ok(()));
        assert_eq!(fits(0x4000_0000, 0x4000_0000, 0, 0x1000), Ok(()), "declared registers");
    }

    #[test]
    fn a_segment_outside_names_itself_and_the_memories() {
        let error = segment(0x0800_0000, 0x0800_0000, 16, 16).check_memories(&board()).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("segment 3 (0x08000000 to 0x0800000f, loaded)"), "{message}");
        assert!(message.contains("flash 0x00000000 to 0x0003ffff"), "{message}");
        assert!(message.contains("ram 0x20000000 to 0x2000ffff"), "{message}");
        let too_big = segment(0x100, 0x2000_0000, 4, 0x1_0001).check_memories(&board());
        assert!(matches!(too_big, Err(ImageError::OutsideMemory { use_: "used", .. })));
        let over_the_end = segment(0x3_fffc, 0x3_fffc, 8, 8).check_memories(&board());
        assert!(matches!(over_the_end, Err(ImageError::OutsideMemory { use_: "loaded", .. })));
    }

    #[test]
    fn a_segment_may_span_memories_that_adjoin() {
        let mut memories = board();
        memories.push(MemoryRange {
            name: "more".into(),
            start: 0x4_0000,
            size: 0x100,
            writable: false,
        });
        assert_eq!(segment(0x3_fff0, 0x3_fff0, 32, 32).check_memories(&memories), Ok(()));
        assert!(segment(0x3_fff0, 0x3_fff0, 0x200, 0x200).check_memories(&memories).is_err());
    }

    #[test]
    fn the_last_address_of_all_may_be_used() {
        let memories = [MemoryRange {
            name: "top".into(),
            start: 0xffff_0000,
            size: 0x1_0000,
            writable: true,
        }];
        assert_eq!(segment(0xffff_fff0, 0xffff_fff0, 16, 16).check_memories(&memories), Ok(()));
    }

    #[test]
    fn a_vector_table_is_checked() {
        let table = |address| VectorTable { address, found: Found::Section(".isr_vector".into()) };
        let check = |stack, reset| check_vector_table(&table(0), stack, reset, &board());
        assert_eq!(check(0x2001_0000, 0x101), Ok(()));
        assert!(matches!(check(0, 0), Err(ImageError::NoVectorTable { .. })));
        assert!(matches!(check(u32::MAX, u32::MAX), Err(ImageError::NoVectorTable { .. })));
        assert!(matches!(check(0x2001_0004, 0x101), Err(ImageError::StackPointer { .. })));
        assert!(matches!(check(0x2000_0000, 0x101), Err(ImageError::StackPointer { .. })));
        assert!(matches!(check(0x100, 0x101), Err(ImageError::StackPointer { .. })));
        let even = check(0x2001_0000, 0x100).unwrap_err().to_string();
        assert!(even.contains("bit 0 is clear"), "{even}");
        let wild = check(0x2001_0000, 0x6000_0001).unwrap_err().to_string();
        assert!(wild.contains("0x60000001, which is not in memory"), "{wild}");
        let high = check(0x2002_0000, 0x101).unwrap_err().to_string();
        let expected = "the vector table at 0x00000000 (section .isr_vector): its stack pointer \
                        0x20020000 isn't in RAM or just above it: ram 0x20000000 to 0x2000ffff; \
                        link the firmware for this board or choose another board";
        assert_eq!(high, expected);
        let moved = check_vector_table(&table(0x140), 0x2001_0000, 0x101, &board()).unwrap_err();
        let expected = "the vector table at 0x00000140 (section .isr_vector) isn't aligned to 128 \
                        bytes, so that VTOR can't point at it; align it in the linker script";
        assert_eq!(moved.to_string(), expected);
    }
}
