//! Claims on something that only one user may have at a time, such as the memory of a task that is
//! spawned.
//!
//! After the store that pends an interrupt, the processor may execute an instruction or two before
//! the interrupt is taken (Arm DAI 0321A, 4.7). So a second spawn of a task can come before the
//! first instance has run, although the task is more urgent. A claim that fails therefore takes
//! pending interrupts and tries once more. A claim that succeeds pays nothing for this.

use ::core::sync::atomic::AtomicU8;

use crate::arch::{take_pending, words};

/// Replaces `free` by `claimed`. Returns `false` if the state is another one. From any context.
#[inline(always)]
#[must_use]
pub fn claim(state: &AtomicU8, free: u8, claimed: u8) -> bool {
    words::replace_byte(state, free, claimed) || claim_later(state, free, claimed)
}

/// Takes pending interrupts and tries once more.
#[cold]
#[inline(never)]
fn claim_later(state: &AtomicU8, free: u8, claimed: u8) -> bool {
    take_pending();
    words::replace_byte(state, free, claimed)
}
