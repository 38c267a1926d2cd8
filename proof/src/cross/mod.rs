//! The simulator against QEMU.
//!
//! Both run the same image and must have the same results. [`differential`] compares random
//! instruction sequences. [`qemu`](crate::qemu) and [`simulated`] run an image on either side.

pub mod batch;
pub mod command;
pub mod data;
pub mod differential;
pub mod flow;
pub mod generate;
pub mod listing;
pub mod machine;
pub mod memory;
pub mod pattern;
pub mod riscv;
pub mod simulated;

/// The instructions that a case may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subset {
    /// ARMv6-M: a Cortex-M0.
    V6M,
    /// ARMv7-M: a Cortex-M3.
    V7M,
    /// ARMv7E-M with floating point: a Cortex-M4F.
    V7EM,
}

impl Subset {
    /// Returns `true` if the subset has the wide instructions of ARMv7-M.
    pub fn is_wide(self) -> bool {
        self != Self::V6M
    }
}

/// The memory that a case may touch.
pub const SANDBOX: u32 = 0x2000_4000;
/// The sandbox's length.
pub const SANDBOX_BYTES: u32 = 512;
