//! Instructions already decoded, by address.
//!
//! A direct-mapped table: finding an instruction costs an index and one comparison. Stores look
//! here too, but one comparison with the range that has ever been cached tells nearly all of them
//! that they hit data.
//!
//! After a restored snapshot, memory may hold other code than the entries. To decode everything
//! again would cost a campaign of many short runs most of its time, so [`DecodeCache::distrust`]
//! starts a new epoch instead: an entry from an earlier epoch is valid again as soon as memory
//! still has its halfwords.

use super::Architecture;
use super::decode::decode;
use super::instruction::{Instruction, Operation};
use crate::timing::Facts;

/// Entries of the table; a power of two. Each covers one halfword address.
const ENTRIES: usize = 8192;

/// An instruction, with the facts that the pipeline needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decoded {
    /// The decoded instruction.
    pub instruction: Instruction,
    /// The instruction's use of the pipeline.
    pub facts: Facts,
    /// The halfwords. They say all of the rest.
    pub code: u32,
}

impl Decoded {
    /// Decodes an instruction from its halfwords, and finds its facts.
    pub fn new([first, second]: [u16; 2], architecture: Architecture) -> Self {
        let instruction = decode(first, second, architecture);
        let code = u32::from(second) << 16 | u32::from(first);
        let facts = Facts::of(&instruction);
        let single_cycle = matches!(architecture, Architecture::V7EM | Architecture::V8M);
        Self { instruction, facts: if single_cycle { facts.on_cortex_m4() } else { facts }, code }
    }
}

// A line of the host's cache each.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Entry {
    /// The epoch in the upper half, the address in the lower. An odd address is never looked up.
    key: u64,
    halfwords: [u16; 2],
    /// Another instruction was here before.
    is_shared: bool,
    decoded: Decoded,
}

const _: () = assert!(size_of::<Entry>() == 64);

const EMPTY: Entry = Entry {
    key: 1,
    halfwords: [0; 2],
    is_shared: false,
    decoded: Decoded {
        instruction: Instruction { operation: Operation::Nop, length: 2 },
        facts: Facts::NONE,
        code: 0,
    },
};

/// The table. A copy is empty: a snapshot needs no content of the table.
#[derive(Default)]
pub struct DecodeCache {
    entries: Vec<Entry>,
    epoch: u32,
    /// See [`DecodeCache::stamp`].
    changes: u64,
    /// The range of code addresses cached so far, as its start and its length.
    low: u32,
    length: u32,
}

impl Clone for DecodeCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

fn slot(address: u32) -> usize {
    (address >> 1) as usize % ENTRIES
}

impl DecodeCache {
    fn key(&self, address: u32) -> u64 {
        u64::from(self.epoch) << 32 | u64::from(address)
    }

    /// The instruction at an even address.
    #[inline]
    pub fn get(&self, address: u32) -> Option<&Decoded> {
        let entry = self.entries.get(slot(address))?;
        (entry.key == self.key(address)).then_some(&entry.decoded)
    }

    /// An entry of an earlier epoch, if memory still holds `first` and `second()` there.
    pub fn revive(
        &mut self,
        address: u32,
        first: u16,
        second: impl FnOnce() -> Option<u16>,
    ) -> Option<Decoded> {
        let key = self.key(address);
        let entry = self.entries.get_mut(slot(address))?;
        if entry.key as u32 != address || entry.halfwords[0] != first {
            return None;
        }
        if entry.decoded.instruction.length == 4 && second() != Some(entry.halfwords[1]) {
            return None;
        }
        entry.key = key;
        Some(entry.decoded)
    }

    /// Remembers the instruction that was decoded from the halfwords at `address`.
    pub fn insert(&mut self, address: u32, halfwords: [u16; 2], decoded: Decoded) {
        if self.entries.is_empty() {
            self.entries = vec![EMPTY; ENTRIES];
        }
        let end = if self.length == 0 {
            self.low = address;
            address
        } else {
            self.low.wrapping_add(self.length)
        };
        self.low = self.low.min(address);
        self.length = end.max(address.saturating_add(4)) - self.low;
        let key = self.key(address);
        let entry = &mut self.entries[slot(address)];
        let is_free = entry.key == EMPTY.key || entry.key as u32 == address;
        let is_shared = entry.is_shared || !is_free;
        *entry = Entry { key, halfwords, is_shared, decoded };
    }

    /// A copy of a decoded instruction holds as long as this number is the same. It is never 0.
    #[inline(always)]
    pub fn stamp(&self) -> u64 {
        self.changes + 1
    }

    /// Returns `true` if a store at `address` could hit cached code.
    #[inline]
    pub fn may_hold(&self, address: u32) -> bool {
        // A word below the range can reach up to three bytes into the range.
        address.wrapping_sub(self.low.wrapping_sub(3)) < self.length.wrapping_add(3)
            && self.length != 0
    }

    /// Forgets the instructions that a store of up to four bytes at `address` overlaps.
    pub fn forget(&mut self, address: u32) {
        for offset in 0..4 {
            let start = (address & !1).wrapping_sub(2).wrapping_add(2 * offset);
            match self.entries.get_mut(slot(start)) {
                Some(entry) if entry.key as u32 == start => {
                    entry.key = EMPTY.key;
                    self.changes += 1;
                }
                // Others have copies of what was here.
                Some(entry) if entry.is_shared => self.changes += 1,
                _ => {}
            }
        }
    }

    /// Memory may have changed anywhere: every entry must be compared with memory before its next
    /// use.
    pub fn distrust(&mut self) {
        self.changes += 1;
        match self.epoch.checked_add(1) {
            Some(epoch) => self.epoch = epoch,
            None => *self = Self { changes: self.changes, ..Self::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOP: Decoded = EMPTY.decoded;
    const WIDE: Decoded = Decoded {
        instruction: Instruction { operation: Operation::Nop, length: 4 },
        facts: Facts { length: 4, ..Facts::NONE },
        code: 0,
    };

    #[test]
    fn remembers_by_address() {
        let mut cache = DecodeCache::default();
        assert_eq!(cache.get(0), None);
        cache.insert(0x100, [0xbf00, 0], NOP);
        assert_eq!(cache.get(0x100), Some(&NOP));
        assert_eq!(cache.get(0x102), None);
        assert_eq!(cache.get(0x100 + 2 * ENTRIES as u32), None, "the same slot, another address");
    }

    #[test]
    fn a_store_forgets_every_instruction_it_overlaps() {
        for (store, forgotten) in [(0xfe, false), (0x100, true), (0x103, true), (0x104, false)] {
            let mut cache = DecodeCache::default();
            cache.insert(0x100, [0, 0], WIDE);
            if cache.may_hold(store) && store != 0xfe {
                cache.forget(store);
            }
            assert_eq!(cache.get(0x100).is_none(), forgotten, "a byte at {store:#x}");
        }
        let mut cache = DecodeCache::default();
        cache.insert(0x100, [0, 0], WIDE);
        assert!(cache.may_hold(0xfe), "a word at 0xfe reaches it");
        assert!(!cache.may_hold(0x80) && !cache.may_hold(0x2000_0000));
        cache.forget(0xfe);
        assert_eq!(cache.get(0x100), None);
    }

    #[test]
    fn a_new_epoch_believes_only_what_memory_confirms() {
        let mut cache = DecodeCache::default();
        cache.insert(0x100, [0xbf00, 0], NOP);
        cache.insert(0x104, [0xf000, 0x8000], WIDE);
        cache.distrust();
        assert_eq!(cache.get(0x100), None);
        assert_eq!(cache.revive(0x100, 0xbf01, || None), None);
        assert_eq!(cache.revive(0x100, 0xbf00, || None), Some(NOP));
        assert_eq!(cache.get(0x100), Some(&NOP));
        assert_eq!(cache.revive(0x104, 0xf000, || Some(0x8001)), None);
        assert_eq!(cache.revive(0x104, 0xf000, || Some(0x8000)), Some(WIDE));
    }
}
