//! Priorities of threads as bits, and limits: all bits up to the bit of a priority.
//!
//! A limit stands for a priority, and has all bits up to the bit of that priority. A thread with a
//! larger bit preempts. No thread has the lowest bit, which is set in a thread's own limit. Under a
//! ceiling the limit is [`HELD`], which is above all bits but without the lowest. So every
//! comparison takes the long path, where the code looks at the ceiling.
//!
//! If the scheduler is cooperative, a thread's own limit has all bits, so that no thread preempts.
//! Idle's own limit has only the lowest bit, as always.

use crate::core::application;

/// The highest priority that a thread can have; 0 is idle's.
pub const PRIORITY_MAX: u8 = 31;

/// Returns the bit of a priority.
#[must_use]
pub const fn bit_of(priority: u8) -> u32 {
    1 << priority
}

/// Returns the limit of a thread that holds nothing, from the thread's bit. A suspended thread has
/// the bit 0.
#[must_use]
pub const fn limit_of(bit: u32) -> u32 {
    if bit == 0 { 1 } else { bit | (bit - 1) }
}

/// Returns a thread's own limit, from the thread's bit. If the scheduler is cooperative, this is
/// the limit of the highest priority. Idle's bit is 1, and that of a suspended thread is 0.
#[inline(always)]
pub fn own_limit(bit: u32) -> u32 {
    if bit > 1 && application::is_cooperative() { u32::MAX } else { limit_of(bit) }
}

/// Returns a ceiling in the form in which a thread notes it. The form contains the priority, but is
/// never 0. For the highest ceiling the form is the largest byte, so that a raise to that ceiling
/// needs no comparison.
#[must_use]
pub const fn encode_ceiling(ceiling: u8) -> u8 {
    ceiling | !PRIORITY_MAX
}

/// Returns the limit of a thread under a noted ceiling, or 0 without a ceiling.
pub(in crate::core) const fn limit_of_encoded(ceiling: u8) -> u32 {
    if ceiling == 0 { 0 } else { limit_of(bit_of(ceiling & PRIORITY_MAX)) }
}

/// The limit of a thread under a ceiling.
pub(in crate::core) const HELD: u32 = !1;

/// Returns `true` if `limit` is that of a thread under a ceiling.
#[inline(always)]
pub fn is_ceiling(limit: u32) -> bool {
    application::has_ceilings() && limit & 1 == 0
}
