//! Who may run while a resource is locked.
//!
//! A section notes its ceiling here. A handler at or below it must not run; a handler above it must
//! find the resource's value whole only when it locks it itself.

use core::sync::atomic::{AtomicU8, Ordering};

/// The ceiling of the innermost open section.
static CEILING: AtomicU8 = AtomicU8::new(0);

/// A handler of this priority begins.
#[inline]
pub fn enter(priority: u8) {
    let ceiling = CEILING.load(Ordering::Relaxed);
    assert!(ceiling < priority, "{priority} runs under the ceiling {ceiling}");
}

/// The resource: two words that are equal whenever nobody is in it.
#[derive(Default)]
pub struct Pair {
    first: u32,
    second: u32,
}

impl Pair {
    /// Two zeros.
    #[must_use]
    pub const fn new() -> Self {
        Self { first: 0, second: 0 }
    }

    /// The first half of adding one, for a section without a ceiling.
    #[inline]
    pub fn begin(&mut self) {
        assert!(self.first == self.second, "somebody else has it");
        self.first += 1;
    }

    /// The second half.
    #[inline]
    pub fn end(&mut self) {
        self.second += 1;
        assert!(self.first == self.second, "somebody else had it");
    }

    /// Adds one in several steps, under the resource's ceiling.
    #[inline]
    pub fn add(&mut self, ceiling: u8) {
        self.with(ceiling, || ());
    }

    /// The same, with something else between the steps.
    #[inline]
    pub fn with<T>(&mut self, ceiling: u8, section: impl FnOnce() -> T) -> T {
        // Whoever interrupts this puts it back.
        let outer = CEILING.load(Ordering::Relaxed);
        CEILING.store(ceiling.max(outer), Ordering::Relaxed);
        let first = self.first;
        assert!(first == self.second, "somebody else is in the section");
        self.first = core::hint::black_box(first) + 1;
        let result = section();
        self.second = core::hint::black_box(self.second) + 1;
        CEILING.store(outer, Ordering::Relaxed);
        result
    }

    /// How often somebody added one.
    #[must_use]
    pub fn total(&self) -> u32 {
        assert!(self.first == self.second, "a section is half done");
        self.first
    }
}
