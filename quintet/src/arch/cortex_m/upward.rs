//! The functions on the floors above that the assembly calls: slow paths of the scheduler, of
//! parking and of mutexes. All of them are here, by their symbols.
//!
//! The assembly passes the arguments that the functions' own comments describe. These declarations
//! have no arguments, as only `sym` uses them.

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
