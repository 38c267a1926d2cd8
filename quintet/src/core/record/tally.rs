//! The counts of a thread.

use ::core::cell::Cell;

/// The counts of a thread, in its control block.
#[derive(Debug)]
#[repr(C)]
pub struct Tally {
    /// The time that the thread ran, in cycles; the lower word first.
    pub(in crate::core) cycles: [Cell<u32>; 2],
    /// The number of switches to the thread.
    pub(in crate::core) switches: Cell<u32>,
}

impl Tally {
    pub const fn new() -> Self {
        Self { cycles: [Cell::new(0), Cell::new(0)], switches: Cell::new(0) }
    }
}
