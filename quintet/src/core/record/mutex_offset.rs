//! Offsets of a mutex's fields, for the assembly. `next` lies behind the owner, and the waiters
//! come first.

use ::core::mem::offset_of;

use super::mutex::Ownership;
#[cfg(all(target_os = "none", not(any(noted_pauses, plain_switch))))]
use super::mutex::WithCeiling;

/// The owner's offset in a mutex.
pub const OWNER: usize = offset_of!(Ownership, owner);
/// The bit's offset in a mutex with a ceiling.
#[cfg(all(target_os = "none", not(any(noted_pauses, plain_switch))))]
pub const BIT: usize = offset_of!(WithCeiling, bit);

const _: () = assert!(offset_of!(Ownership, waiters) == 0);
const _: () = assert!(offset_of!(Ownership, next) == OWNER + 4 || cfg!(not(target_os = "none")));
