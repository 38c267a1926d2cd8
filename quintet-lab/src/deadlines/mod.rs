//! Whether tasks meet their deadlines: in a run, and by an analysis with the costs of that run.
pub mod analysis;
pub mod arrivals;
