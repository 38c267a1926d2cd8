//! The mechanisms that make code ready and protect data. All models share this code.

pub mod application;
pub mod claim;
pub mod kernel_cell;
pub mod level;
pub mod list;
pub mod lock;
#[cfg(threads)]
pub mod ownership;
#[cfg(threads)]
pub mod park;
pub mod queue;
pub mod record;
pub mod resource;
#[cfg(threads)]
pub mod scheduler;
pub mod section;
#[cfg(feature = "time")]
pub mod timer;
pub mod wait;
pub mod wake;
