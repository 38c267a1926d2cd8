//! Watching accesses to ranges of addresses.

use crate::processor::instruction::Size;

/// Which accesses of a range a tool watches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    /// Loads.
    Read,
    /// Stores.
    Write,
    /// Both.
    Any,
}

/// A range of addresses that is watched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WatchedRange {
    /// The range's first address.
    pub start: u32,
    /// The range's length in bytes.
    pub length: u32,
    /// The accesses of interest.
    pub kind: AccessKind,
}

/// An access that a watch has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The access's address.
    pub address: u32,
    /// The access's size.
    pub size: Size,
    /// [`AccessKind::Read`] or [`AccessKind::Write`].
    pub kind: AccessKind,
    /// The value read or written.
    pub value: u32,
    /// The value before the access.
    pub old: u32,
    /// When.
    pub cycle: u64,
}

impl WatchedRange {
    /// Returns `true` if an access is of interest.
    pub fn matches(&self, access: &Access) -> bool {
        let kind = self.kind == AccessKind::Any || self.kind == access.kind;
        let first = u64::from(access.address);
        let (start, end) = (u64::from(self.start), u64::from(self.start) + u64::from(self.length));
        kind && first < end && start < first + u64::from(access.size.bytes())
    }
}

/// The watched ranges, the first access to one of them that no tool has taken yet, and the
/// doorbell, whose accesses are all reported at once.
#[derive(Clone, Debug, Default)]
pub struct Watcher {
    ranges: Vec<WatchedRange>,
    seen: Option<Access>,
    doorbell: Option<WatchedRange>,
    /// The first and the last address of all of them; the first is above the last if there is none.
    bounds: (u32, u32),
}

impl Watcher {
    /// Replaces the ranges.
    pub fn set_ranges(&mut self, ranges: Vec<WatchedRange>) {
        self.ranges = ranges;
        self.seen = None;
        self.find_bounds();
    }

    /// Replaces the doorbell.
    pub fn set_doorbell(&mut self, range: Option<WatchedRange>) {
        self.doorbell = range;
        self.find_bounds();
    }

    fn find_bounds(&mut self) {
        let ranges = self.ranges.iter().chain(&self.doorbell).filter(|range| range.length > 0);
        let last = |range: &WatchedRange| range.start.saturating_add(range.length - 1);
        self.bounds = ranges.fold((u32::MAX, 0), |(first, end), range| {
            (first.min(range.start), end.max(last(range)))
        });
    }

    /// Returns `false` for an access of up to four bytes that is surely none of interest.
    #[inline]
    pub fn may_match(&self, address: u32) -> bool {
        address <= self.bounds.1 && address.saturating_add(3) >= self.bounds.0
    }

    /// Returns `true` if any access is of interest.
    pub fn is_watching(&self) -> bool {
        !self.ranges.is_empty() || self.doorbell.is_some()
    }

    /// Notes an access if it is watched and the first. Returns `true` if the access rings.
    #[must_use]
    pub fn note(&mut self, access: Access) -> bool {
        if self.seen.is_none() && self.ranges.iter().any(|range| range.matches(&access)) {
            self.seen = Some(access);
        }
        self.doorbell.is_some_and(|range| range.matches(&access))
    }

    /// Takes the access.
    pub fn take(&mut self) -> Option<Access> {
        self.seen.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_matches_when_any_byte_of_it_lies_in_the_range() {
        let range = WatchedRange { start: 0x102, length: 2, kind: AccessKind::Write };
        let access =
            |address, size, kind| Access { address, size, kind, value: 0, old: 0, cycle: 0 };
        assert!(range.matches(&access(0x100, Size::Word, AccessKind::Write)));
        assert!(range.matches(&access(0x103, Size::Byte, AccessKind::Write)));
        assert!(!range.matches(&access(0x100, Size::Half, AccessKind::Write)));
        assert!(!range.matches(&access(0x104, Size::Byte, AccessKind::Write)));
        assert!(!range.matches(&access(0x102, Size::Half, AccessKind::Read)));
    }

    #[test]
    fn what_is_far_from_all_ranges_needs_no_look() {
        let range = |start, length| WatchedRange { start, length, kind: AccessKind::Any };
        let mut watcher = Watcher::default();
        let may = |watcher: &Watcher, addresses: &[u32]| {
            addresses.iter().map(|address| watcher.may_match(*address)).collect::<Vec<_>>()
        };
        watcher.set_ranges(vec![range(0x100, 4), range(0x80, 0)]);
        assert_eq!(may(&watcher, &[0xfc, 0xfd, 0x103, 0x104]), [false, true, true, false]);
        watcher.set_doorbell(Some(range(u32::MAX, 8)));
        assert_eq!(may(&watcher, &[0xfc, 0x8000, u32::MAX]), [false, true, true]);
        watcher.set_ranges(Vec::new());
        watcher.set_doorbell(None);
        assert_eq!(may(&watcher, &[0, 0x100, u32::MAX]), [false; 3]);
    }

    #[test]
    fn the_first_access_is_kept() {
        let mut watcher = Watcher::default();
        watcher.set_ranges(vec![WatchedRange { start: 0, length: 8, kind: AccessKind::Any }]);
        for address in [100, 4, 0] {
            let (size, kind) = (Size::Word, AccessKind::Read);
            let access = Access { address, size, kind, value: 0, old: 0, cycle: 0 };
            assert!(!watcher.note(access), "nobody has asked for a doorbell");
        }
        assert_eq!(watcher.take().map(|access| access.address), Some(4));
        assert_eq!(watcher.take(), None);
    }
}
