//! Tests of every object against a sequential model, under every interleaving of interrupts, among
//! threads, and together with the crates that it is used with.

mod channel_model;
mod edges;
mod flags_model;
mod interop;
mod interrupts;
mod interrupts_channel;
mod meetings;
pub mod model;
mod mutex;
mod semaphore_model;
mod signal_model;
mod threads;
