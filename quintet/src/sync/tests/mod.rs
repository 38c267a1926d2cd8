//! Every object against a sequential model, under every interleaving of interrupts, and among
//! threads.

mod channel_model;
mod interrupts;
mod model;
mod semaphore_model;
mod signal_model;
mod threads;
