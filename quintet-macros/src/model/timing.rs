//! The time of tasks.

/// The times of a task, with their units: how often the task arrives at most, and when it must be
/// done.
pub struct Timing {
    /// The least time between two arrivals.
    pub period: String,
    /// The time from the arrival to the end. Without one, the period.
    pub deadline: Option<String>,
}
