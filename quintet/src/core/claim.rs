//! Claiming what only one may use at a time: the memory of a task, by a spawn.
//!
//! The store that pends an interrupt is followed by an instruction or two before the interrupt is
//! taken (Arm DAI 0321A, 4.7). So a spawn behind another of the same task can come before the first
//! instance has run, although that is more urgent. A claim that fails lets in what is pending, and
//! looks once more; one that succeeds costs nothing for it.

use ::core::sync::atomic::AtomicU8;

use crate::arch::{take_pending, words};

/// Replaces `free` by `claimed`; false if the state is another. From any context.
#[inline(always)]
#[must_use]
pub fn claim(state: &AtomicU8, free: u8, claimed: u8) -> bool {
    words::replace_byte(state, free, claimed) || claim_later(state, free, claimed)
}

/// The second look.
#[cold]
#[inline(never)]
fn claim_later(state: &AtomicU8, free: u8, claimed: u8) -> bool {
    take_pending();
    words::replace_byte(state, free, claimed)
}
