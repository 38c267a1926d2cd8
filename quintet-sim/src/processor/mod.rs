//! The processor: registers, instructions, exceptions and the private peripherals, over any [`bus::Bus`].
//!
//! ```text
//!  step() ── exception due? ── yes ─> exceptions::enter
//!     │ no
//!     ├─ fetch + decode (cached)            decode/
//!     ├─ pipeline.issue
//!     ├─ execute ── loads and stores ──>    memory.rs ── MPU, bit-band, private peripherals, bus
//!     │      └──── fault ──────────────>    faults.rs ── pends the exception, or escalates
//!     └─ pipeline.retire
//! ```

pub mod bus;
pub mod instruction;
pub mod registers;
