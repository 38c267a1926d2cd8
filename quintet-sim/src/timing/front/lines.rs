//! A cache's lines: the lines in the cache, and the line that goes when another comes.
//!
//! A set keeps its lines in the order of their last use, the latest first. So the first line is
//! found fastest, and the last line is the one to go.

use crate::processor::bus::CacheShape;

/// No line of any memory.
pub const NO_LINE: u32 = u32::MAX;

/// Lines in sets, replaced by least recent use within a set.
#[derive(Clone, Debug)]
pub struct Lines {
    held: Vec<u32>,
    ways: usize,
}

impl Lines {
    /// An empty cache.
    pub fn new(shape: CacheShape) -> Self {
        Self { held: vec![NO_LINE; usize::from(shape.lines)], ways: usize::from(shape.ways.max(1)) }
    }

    /// Returns `true` if the cache has `line`, which becomes the line used last.
    pub fn find(&mut self, line: u32) -> bool {
        let Some(set) = self.set(line) else { return false };
        let found = set.iter().position(|held| *held == line);
        if let Some(place) = found {
            set[..=place].rotate_right(1);
        }
        found.is_some()
    }

    /// Returns `true` if the cache has `line`, without using it.
    pub fn has(&self, line: u32) -> bool {
        // A line of one set is never in another.
        let sets = self.held.len() / self.ways;
        let first = if sets == 0 { 0 } else { line as usize % sets * self.ways };
        self.held.get(first..first + self.ways).is_some_and(|set| set.contains(&line))
    }

    /// Puts a new line in the place of the line used longest ago.
    pub fn insert(&mut self, line: u32) {
        let Some(set) = self.set(line) else { return };
        set.rotate_right(1);
        set[0] = line;
    }

    /// Forgets all lines.
    pub fn clear(&mut self) {
        self.held.fill(NO_LINE);
    }

    fn set(&mut self, line: u32) -> Option<&mut [u32]> {
        let sets = self.held.len() / self.ways;
        let first = (line as usize).checked_rem(sets)? * self.ways;
        self.held.get_mut(first..first + self.ways)
    }
}
