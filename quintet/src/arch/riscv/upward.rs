//! The functions on the floors above that the switch calls: the scheduler's decisions. All of them
//! are here, by their symbols.

use ::core::ptr::NonNull;

use crate::core::lock::Saved;
use crate::core::record::{Ownership, ThreadBlock, WaitList};

#[expect(improper_ctypes, reason = "both sides are this crate")]
unsafe extern "C" {
    /// `core::scheduler::make_ready_and_release`.
    #[link_name = "__quintet_make_ready_and_release"]
    pub fn make_ready_and_release(thread: &ThreadBlock, saved: Saved);

    /// `core::scheduler::make_ready_and_select`.
    #[link_name = "__quintet_make_ready_and_select"]
    pub fn make_ready_and_select(thread: &ThreadBlock) -> *const ThreadBlock;

    /// `core::scheduler::select_another`.
    #[link_name = "__quintet_select_another"]
    pub fn select_another() -> *const ThreadBlock;

    /// `core::scheduler::select_next`.
    #[link_name = "__quintet_select_next"]
    pub fn select_next() -> *const ThreadBlock;

    /// `core::park::select_to_wait`.
    #[link_name = "__quintet_select_to_wait"]
    pub fn select_to_wait(list: &WaitList<()>, demand: *const ()) -> *const ThreadBlock;

    /// `core::park::select_to_park`.
    #[link_name = "__quintet_select_to_park"]
    pub fn select_to_park(saved: Saved) -> *const ThreadBlock;

    /// `core::park::select_to_wait_for_own`.
    #[link_name = "__quintet_select_to_wait_for_own"]
    pub fn select_to_wait_for_own(
        mark: NonNull<()>,
        saved: Saved,
        wanted: u32,
    ) -> *const ThreadBlock;

    /// `core::ownership::enter_slowly`.
    #[link_name = "__quintet_enter_slowly"]
    pub fn enter_slowly(mutex: &Ownership, saved: Saved);

    /// `core::ownership::leave_slowly`.
    #[link_name = "__quintet_leave_slowly"]
    pub fn leave_slowly(mutex: &Ownership, saved: Saved);
}

#[cfg(processes)]
unsafe extern "C" {
    /// `core::scheduler::wake_all`.
    #[link_name = "__quintet_wake_all"]
    pub fn wake_all();

    /// `core::scheduler::wake_all_and_time`.
    #[cfg(feature = "time")]
    #[link_name = "__quintet_wake_all_and_time"]
    pub fn wake_all_and_time();

    /// `core::scheduler::change_all`.
    #[link_name = "__quintet_change_all"]
    pub fn change_all() -> u32;
}
