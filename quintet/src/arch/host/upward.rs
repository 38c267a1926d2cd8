//! The functions on the floors above that the host's switch calls, by symbols: as on the targets.

#![expect(unsafe_code, reason = "symbols of the floors above are declared")]

use crate::core::lock::Saved;
use crate::core::record::{Ownership, ThreadBlock};

#[expect(improper_ctypes, reason = "both sides are this crate")]
unsafe extern "C" {
    /// `core::scheduler::make_ready_and_release`.
    #[link_name = "__quintet_make_ready_and_release"]
    pub fn make_ready_and_release(thread: &ThreadBlock, saved: Saved);

    /// `core::scheduler::park_or_release`.
    #[link_name = "__quintet_park_or_release"]
    pub fn park_or_release(saved: Saved) -> bool;

    /// `core::ownership::enter_slowly`.
    #[link_name = "__quintet_enter_slowly"]
    pub fn enter_slowly(mutex: &Ownership, saved: Saved);

    /// `core::ownership::leave_slowly`.
    #[link_name = "__quintet_leave_slowly"]
    pub fn leave_slowly(mutex: &Ownership, saved: Saved);
}
