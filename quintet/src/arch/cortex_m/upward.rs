//! What the assembly calls on the floors above it: slow paths of the scheduler, of parking and of
//! mutexes. All of them are here, by their symbols.
//!
//! The assembly hands over what the functions' own comments say, so these declarations have no
//! arguments: nothing calls them but by its `sym`.

unsafe extern "C" {
    /// `core::park::refuse_to_wait`.
    #[link_name = "__quintet_refuse_to_wait"]
    pub fn refuse_to_wait();

    /// `core::scheduler::hold_ready_and_release`.
    #[link_name = "__quintet_hold_ready_and_release"]
    pub fn hold_ready_and_release();

    /// `core::ownership::enter_slowly`.
    #[link_name = "__quintet_enter_slowly"]
    pub fn enter_slowly();

    /// `core::ownership::leave_slowly`.
    #[link_name = "__quintet_leave_slowly"]
    pub fn leave_slowly();
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
    pub fn change_all();
}
