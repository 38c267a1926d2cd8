//! What makes code ready and protects data, once for every model.

pub mod level;
pub mod lock;
pub mod wake;
