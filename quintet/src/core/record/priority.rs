//! Priorities of threads as bits, and limits: all bits up to a priority's.
//!
//! A limit has all bits up to that of the priority that it stands for: whoever has a larger bit
//! preempts. The lowest bit, which no thread has, is set in a thread's own limit. Under a ceiling
//! the limit is [`HELD`], above all bits but without the lowest: so everything that compares goes
//! the long way, where the ceiling is looked at.
//!
//! Where the scheduler is cooperative, a thread's own limit has all bits, so that nobody preempts
//! it; idle's has the lowest, as ever.

use crate::core::application;

/// The highest priority that a thread can have; 0 is idle's.
pub const PRIORITY_MAX: u8 = 31;

/// The bit of a priority.
#[must_use]
pub const fn bit_of(priority: u8) -> u32 {
    1 << priority
}

/// The limit of a thread that holds nothing, by its bit; of a suspended one too, whose bit is 0.
#[must_use]
pub const fn limit_of(bit: u32) -> u32 {
    if bit == 0 { 1 } else { bit | (bit - 1) }
}

/// The limit that a thread has of its own, by its bit: that of the highest priority if the
/// scheduler is cooperative. Idle's bit is 1; that of a suspended thread 0.
#[inline(always)]
pub fn own_limit(bit: u32) -> u32 {
    if bit > 1 && application::is_cooperative() { u32::MAX } else { limit_of(bit) }
}

/// What is noted of a ceiling: as its priority, but never 0, and for the highest the largest byte,
/// so that raising to it needs no comparison.
#[must_use]
pub const fn encode_ceiling(ceiling: u8) -> u8 {
    ceiling | !PRIORITY_MAX
}

/// The limit of a thread at a ceiling that is noted; 0 without one.
pub(in crate::core) const fn limit_of_encoded(ceiling: u8) -> u32 {
    if ceiling == 0 { 0 } else { limit_of(bit_of(ceiling & PRIORITY_MAX)) }
}

/// The limit of a thread under a ceiling.
pub(in crate::core) const HELD: u32 = !1;

/// Whether a limit is that of a thread under a ceiling.
#[inline(always)]
pub fn is_ceiling(limit: u32) -> bool {
    application::has_ceilings() && limit & 1 == 0
}
