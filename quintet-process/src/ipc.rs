//! Inter-process communication.

/// The driver's number.
pub const DRIVER: u32 = 0x1_0000;
