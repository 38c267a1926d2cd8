//! Flash and RAM, made to be copied cheaply.
//!
//! Flash is one shared block: clones and snapshots share the block, and only a tool's write makes a
//! copy.
//!
//! RAM is written all the time, and a campaign takes millions of snapshots. So RAM is flat for the
//! program, with a table of [`PAGE_SIZE`] pages as they were at the last snapshot or restore. Only
//! pages written since then (the dirty ones) are copied when a snapshot is taken or restored.
//!
//! ```text
//!  bytes   ████████░░░░████████████   what the program sees
//!  dirty        x        x            pages that differ from the table
//!  table   [Some][Some][None][Some]   shared with snapshots; None: all zero
//! ```
//! INVARIANT(table): a page that is not dirty is equal to its entry in the table.

use std::sync::Arc;

use crate::processor::instruction::Size;

/// The unit of copying.
pub const PAGE_SIZE: usize = 1024;

/// The last known contents of a RAM, page by page; `None` is a page of zeros.
type Table = Vec<Option<Arc<[u8]>>>;

/// A memory.
#[derive(Clone, Debug)]
pub enum Memory {
    /// Read-only for the program.
    Flash(Arc<Vec<u8>>),
    /// Readable and writable.
    Ram(Ram),
}

/// A snapshot's part of a memory.
#[derive(Clone, Debug)]
pub enum MemoryImage {
    /// The flash itself.
    Flash(Arc<Vec<u8>>),
    /// The pages of a RAM.
    Ram(Arc<Table>),
}

/// A RAM.
#[derive(Debug)]
pub struct Ram {
    bytes: Vec<u8>,
    table: Arc<Table>,
    is_dirty: Vec<bool>,
    dirty: Vec<u32>,
}

impl Memory {
    /// A flash full of erased bytes (0xff).
    pub fn flash(size: u32) -> Self {
        Self::Flash(Arc::new(vec![0xff; size as usize]))
    }

    /// A RAM full of zeros.
    pub fn ram(size: u32) -> Self {
        let pages = (size as usize).div_ceil(PAGE_SIZE);
        Self::Ram(Ram {
            bytes: vec![0; size as usize],
            table: Arc::new(vec![None; pages]),
            is_dirty: vec![false; pages],
            dirty: Vec::new(),
        })
    }

    /// Returns all bytes of the memory.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Flash(bytes) => bytes,
            Self::Ram(ram) => &ram.bytes,
        }
    }

    /// Reads at an offset that is aligned to `size` and inside.
    #[inline]
    pub fn read(&self, offset: u32, size: Size) -> u32 {
        let bytes = self.bytes().get(offset as usize..).unwrap_or(&[]);
        match (size, bytes) {
            (Size::Byte, [a, ..]) => u32::from(*a),
            (Size::Half, [a, b, ..]) => u32::from(u16::from_le_bytes([*a, *b])),
            (Size::Word, [a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]),
            _ => 0,
        }
    }

    /// Writes at an offset that is aligned to `size` and inside. False: the program cannot write
    /// this memory.
    #[inline]
    pub fn write(&mut self, offset: u32, size: Size, value: u32) -> bool {
        let Self::Ram(ram) = self else { return false };
        ram.touch(offset);
        let length = size.bytes() as usize;
        let offset = offset as usize;
        if let Some(bytes) = ram.bytes.get_mut(offset..offset + length) {
            bytes.copy_from_slice(&value.to_le_bytes()[..length]);
        }
        true
    }

    /// Writes as a tool does, flash too. Bytes outside of the memory are left out.
    pub fn poke(&mut self, offset: u32, data: &[u8]) {
        let bytes = match self {
            Self::Flash(bytes) => Arc::make_mut(bytes).as_mut_slice(),
            Self::Ram(ram) => {
                for at in (0..data.len()).step_by(PAGE_SIZE).chain(data.len().checked_sub(1)) {
                    ram.touch(offset.saturating_add(at as u32));
                }
                ram.bytes.as_mut_slice()
            }
        };
        let room = bytes.get_mut(offset as usize..).unwrap_or(&mut []);
        for (byte, value) in room.iter_mut().zip(data) {
            *byte = *value;
        }
    }

    /// Returns the present content, for [`Memory::restore`].
    pub fn snapshot(&mut self) -> MemoryImage {
        match self {
            Self::Flash(bytes) => MemoryImage::Flash(Arc::clone(bytes)),
            Self::Ram(ram) => MemoryImage::Ram(ram.snapshot()),
        }
    }

    /// Restores the content of a snapshot. Returns `true` if any byte may have changed.
    pub fn restore(&mut self, image: &MemoryImage) -> bool {
        match (self, image) {
            (Self::Flash(bytes), MemoryImage::Flash(kept)) => {
                let same = Arc::ptr_eq(bytes, kept);
                *bytes = Arc::clone(kept);
                !same
            }
            (Self::Ram(ram), MemoryImage::Ram(table)) => ram.restore(table),
            _ => false,
        }
    }
}

impl Clone for Ram {
    /// Copies the pages that were ever written. The others are zeros, which cost nothing: a board
    /// may have a hundred megabytes of them.
    fn clone(&self) -> Self {
        let mut bytes = vec![0; self.bytes.len()];
        let kept = self.table.iter().enumerate().filter(|(_, page)| page.is_some());
        let written =
            kept.map(|(page, _)| page).chain(self.dirty.iter().map(|page| *page as usize));
        for page in written {
            let start = page * PAGE_SIZE;
            let end = self.bytes.len().min(start + PAGE_SIZE);
            if let Some(to) = bytes.get_mut(start..end) {
                to.copy_from_slice(&self.bytes[start..end]);
            }
        }
        let (table, is_dirty) = (Arc::clone(&self.table), self.is_dirty.clone());
        Self { bytes, table, is_dirty, dirty: self.dirty.clone() }
    }
}

impl Ram {
    /// Notes that the page of `offset` is about to differ from the table.
    #[inline]
    fn touch(&mut self, offset: u32) {
        let page = offset as usize / PAGE_SIZE;
        if let Some(is_dirty) = self.is_dirty.get_mut(page)
            && !*is_dirty
        {
            *is_dirty = true;
            self.dirty.push(page as u32);
        }
    }

    fn snapshot(&mut self) -> Arc<Table> {
        if !self.dirty.is_empty() {
            let table = Arc::make_mut(&mut self.table);
            for page in self.dirty.drain(..) {
                let page = page as usize;
                let bytes = self.bytes.chunks(PAGE_SIZE).nth(page).unwrap_or(&[]);
                table[page] = Some(Arc::from(bytes));
                self.is_dirty[page] = false;
            }
        }
        Arc::clone(&self.table)
    }

    fn restore(&mut self, table: &Arc<Table>) -> bool {
        let changed = !self.dirty.is_empty() || !Arc::ptr_eq(&self.table, table);
        for page in std::mem::take(&mut self.dirty) {
            self.is_dirty[page as usize] = false;
            self.put_back(page as usize, table);
        }
        if !Arc::ptr_eq(&self.table, table) {
            let old = std::mem::replace(&mut self.table, Arc::clone(table));
            for (page, (was, is)) in old.iter().zip(table.iter()).enumerate() {
                let same = match (was, is) {
                    (None, None) => true,
                    (Some(was), Some(is)) => Arc::ptr_eq(was, is),
                    _ => false,
                };
                if !same {
                    self.put_back(page, table);
                }
            }
        }
        changed
    }

    fn put_back(&mut self, page: usize, table: &Table) {
        let Some(bytes) = self.bytes.chunks_mut(PAGE_SIZE).nth(page) else { return };
        match table.get(page) {
            Some(Some(kept)) if kept.len() == bytes.len() => bytes.copy_from_slice(kept),
            _ => bytes.fill(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_little_endian_in_every_size() {
        let mut ram = Memory::ram(16);
        assert!(ram.write(4, Size::Word, 0x1122_3344));
        assert_eq!(ram.read(4, Size::Byte), 0x44);
        assert_eq!(ram.read(6, Size::Half), 0x1122);
        assert!(ram.write(5, Size::Byte, 0xffff_ff00));
        assert_eq!(ram.read(4, Size::Word), 0x1122_0044);
        assert_eq!(ram.read(16, Size::Word), 0, "outside");
    }

    #[test]
    fn a_program_cannot_write_flash_but_a_tool_can() {
        let mut flash = Memory::flash(8);
        assert!(!flash.write(0, Size::Word, 0));
        assert_eq!(flash.read(0, Size::Word), 0xffff_ffff);
        flash.poke(6, &[1, 2, 3, 4]);
        assert_eq!(flash.read(4, Size::Word), 0x0201_ffff);
    }

    #[test]
    fn clones_share_flash_until_one_is_written() {
        let mut flash = Memory::flash(8);
        let other = flash.clone();
        flash.poke(0, &[0]);
        assert_eq!((flash.read(0, Size::Byte), other.read(0, Size::Byte)), (0, 0xff));
    }

    #[test]
    fn any_order_of_snapshots_and_restores_brings_back_the_bytes() {
        let size = 5 * PAGE_SIZE as u32 + 100;
        let mut ram = Memory::ram(size);
        let mut kept = Vec::new();
        let mut random = 1_u32;
        let mut next = || {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            random >> 8
        };
        for _ in 0..2_000 {
            match next() % 8 {
                0 => kept.push((ram.snapshot(), ram.bytes().to_vec())),
                1 if !kept.is_empty() => {
                    let (image, bytes) = &kept[next() as usize % kept.len()];
                    ram.restore(image);
                    assert_eq!(ram.bytes(), bytes);
                }
                2 => ram.poke(next() % size, &vec![next() as u8; (next() % 3_000) as usize]),
                _ => assert!(ram.write(next() % (size / 4) * 4, Size::Word, next())),
            }
        }
        assert!(kept.len() > 100);
    }

    #[test]
    fn restoring_what_is_there_says_so() {
        let mut ram = Memory::ram(4096);
        let image = ram.snapshot();
        assert!(!ram.restore(&image));
        assert!(ram.write(0, Size::Byte, 1));
        assert!(ram.restore(&image));
        assert_eq!(ram.read(0, Size::Byte), 0);
    }
}
