//! The time of tasks.

/// How often a task arrives at the most, and when it must be done: times with their units.
pub struct Timing {
    /// The least time between two arrivals.
    pub period: String,
    /// From the arrival to the end; the period without one.
    pub deadline: Option<String>,
}
