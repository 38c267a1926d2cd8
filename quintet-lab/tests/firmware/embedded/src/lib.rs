//! The code under test on the target.
#![no_std]

/// Adds, and stops at the largest number.
pub fn add(left: u8, right: u8) -> u8 {
    left.saturating_add(right)
}
