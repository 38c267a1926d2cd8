//! What is counted of a thread.

use ::core::cell::Cell;

/// What is counted of a thread: in its control block.
#[derive(Debug)]
#[repr(C)]
pub struct Tally {
    /// How long it ran; the lower word first.
    pub(in crate::core) cycles: [Cell<u32>; 2],
    /// How often it was switched to.
    pub(in crate::core) switches: Cell<u32>,
}

impl Tally {
    pub const fn new() -> Self {
        Self { cycles: [Cell::new(0), Cell::new(0)], switches: Cell::new(0) }
    }
}
