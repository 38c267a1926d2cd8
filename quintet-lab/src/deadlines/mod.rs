//! Whether tasks meet their deadlines: in a run, and by an analysis with the costs of that run.
//!
//! ```text
//!  declare: periods, deadlines ───────────┐
//!  watch: jobs and sections of a run ─────┴─> plan ──> report
//!    └ section: masks and ceilings             └ analysis, with arrivals and costs
//! ```
//!
//! The costs are those of the run, so the answer holds for this run's costs. A bound from the code
//! can take the place of each ([`cost::Origin`]).

pub mod analysis;
pub mod arrivals;
pub mod closing;
pub mod cost;
pub mod declare;
pub mod opening;
pub mod plan;
pub mod report;
pub mod section;
pub mod urgency;
pub mod watch;
