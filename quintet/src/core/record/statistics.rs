//! Statistics about threads: a tally for each thread, and one record for the application.

#![expect(unsafe_code, reason = "everything is touched under the kernel's lock")]

use ::core::cell::Cell;
use ::core::ptr;

use super::thread::ThreadBlock;

/// Offsets of fields, for the assembly.
pub mod offset {
    use ::core::mem::offset_of;

    use super::{Statistics, ThreadBlock};
    use crate::core::record::tally::Tally;

    /// In a control block: two words.
    pub const CYCLES: usize = offset_of!(ThreadBlock, tally) + offset_of!(Tally, cycles);
    /// In a control block.
    pub const SWITCHES: usize = offset_of!(ThreadBlock, tally) + offset_of!(Tally, switches);
    /// In the statistics.
    pub const COUNTED: usize = offset_of!(Statistics, counted);
    /// In the statistics.
    pub const COUNTER: usize = offset_of!(Statistics, counter);

    const _: () = assert!(offset_of!(Statistics, clock) == 0);
}

/// The values that switches and readings keep. An application has one such record.
#[derive(Debug)]
#[repr(C)]
pub struct Statistics {
    /// The counter in 64 bits, at the last switch or reading; the lower word first.
    pub(in crate::core) clock: [Cell<u32>; 2],
    /// The thread to which the time since then belongs.
    pub(in crate::core) counted: Cell<*const ThreadBlock>,
    /// The register that counts.
    pub(in crate::core) counter: Cell<*const u32>,
    /// The clock at the time when the threads began.
    pub(in crate::core) began: Cell<u64>,
}

// SAFETY: every field is touched only under the kernel's lock.
unsafe impl Sync for Statistics {}

/// A counter that never counts, for the time before there is a real counter.
static STILL: u32 = 0;

/// The only record of the application.
pub static STATISTICS: Statistics = Statistics {
    clock: [Cell::new(0), Cell::new(0)],
    counted: Cell::new(ptr::null()),
    counter: Cell::new(&raw const STILL),
    began: Cell::new(0),
};
