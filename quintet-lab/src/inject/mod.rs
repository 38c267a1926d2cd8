//! Fault injection by interrupt: does the firmware stay right wherever it is interrupted?
//!
//! A campaign takes an exception before every instruction that executes in its windows, each in a
//! run of its own, and again before every instruction that follows such a first one (nested pairs).
//! Each run goes to the firmware's end, where the firmware's exit code tells if everything happened
//! exactly as it must. States that the firmware cannot see are compared with the undisturbed run.
//! Nothing is added to the firmware.
//!
//! ```text
//!  scenario.rs ─> windows.rs, exceptions.rs    what is meant, found in the firmware
//!                       │
//!                 undisturbed.rs               the points: before which instructions
//!                       │
//!                 campaign.rs, pool.rs         the runs, on all cores; moment.rs goes along them
//!                       │
//!                 check.rs, masks.rs           what is wrong at the end of each
//! ```
//! A run costs the instructions behind its injection: about 40 million instructions a second and
//! core.

pub mod campaign;
pub mod check;
pub mod exceptions;
pub mod masks;
pub mod moment;
pub mod pool;
pub mod prepared;
pub mod report;
pub mod riscv;
mod sample;
pub mod scenario;
pub mod undisturbed;
pub mod windows;
