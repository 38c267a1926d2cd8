//! Time: the driver of `embassy-time`, its sources, and what waits.

pub mod clock;
pub mod driver;
pub mod source;
pub mod systick;
pub mod wakes;

pub use embassy_time::{Duration, Instant, TICK_HZ};
