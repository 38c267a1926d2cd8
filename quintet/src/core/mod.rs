//! What makes code ready and protects data, once for every model.

pub mod claim;
pub mod guarded;
pub mod level;
pub mod list;
pub mod lock;
#[cfg(feature = "time")]
pub mod timer;
pub mod wait;
pub mod wake;
