//! Where the assembly finds a field of a mutex: `next` lies behind the owner, and the waiters are
//! the first.

use ::core::mem::offset_of;

use super::mutex::Ownership;
#[cfg(target_os = "none")]
use super::mutex::WithCeiling;

/// In a mutex.
pub const OWNER: usize = offset_of!(Ownership, owner);
/// In one with a ceiling.
#[cfg(target_os = "none")]
pub const BIT: usize = offset_of!(WithCeiling, bit);

const _: () = assert!(offset_of!(Ownership, waiters) == 0);
const _: () = assert!(offset_of!(Ownership, next) == OWNER + 4 || cfg!(not(target_os = "none")));
