//! Processes: isolated, unprivileged programs that you can restart. Applications built for Tock 2
//! run unchanged.
//!
//! A process is a thread that runs unprivileged on its own stack, within its own flash and memory,
//! behind the memory protection unit. A process has a priority among the threads, below every task
//! and every interrupt. A process reaches the rest of the system only by system calls to the
//! application's [drivers](Driver). A fault of a process stops or restarts this process, and
//! affects no other code.
//!
//! [`processes!`](crate::processes) defines the processes; [`System::start`] loads the applications
//! in flash.
//!
//! Needs the feature `processes` and a processor with a memory protection unit: an ARMv7-M, an
//! ARMv8-M Mainline or a Cortex-M0+; or a RISC-V one with user mode and physical memory protection.
//! A Cortex-M0 has no such unit.

#[cfg(all(any(processes, test), feature = "time"))]
mod backoff;
#[cfg(any(all(processes, region_bounds), test))]
mod bounds;
#[cfg(any(all(processes, not(region_bounds)), test))]
mod regions;
pub mod shell;
pub mod tbf;

#[cfg(all(processes, feature = "time"))]
pub mod alarm;
#[cfg(processes)]
mod answer;
#[cfg(processes)]
pub mod buttons;
#[cfg(processes)]
mod call;
#[cfg(processes)]
mod check;
#[cfg(processes)]
mod client;
#[cfg(processes)]
pub mod console;
#[cfg(processes)]
mod driver;
#[cfg(processes)]
mod facts;
#[cfg(processes)]
mod fault;
#[cfg(processes)]
mod forget;
#[cfg(processes)]
pub mod gpio;
#[cfg(all(processes, feature = "credentials"))]
pub mod identity;
#[cfg(processes)]
pub mod ipc;
#[cfg(processes)]
pub mod leds;
#[cfg(processes)]
mod life;
#[cfg(processes)]
mod load;
#[cfg(processes)]
pub mod low_level_debug;
#[cfg(processes)]
mod notice;
#[cfg(processes)]
mod permission;
#[cfg(processes)]
pub mod random;
#[cfg(processes)]
mod readable;
#[cfg(processes)]
mod record;
#[cfg(all(processes, feature = "time"))]
mod restart_limit;
#[cfg(processes)]
mod served;
#[cfg(processes)]
mod system;
#[cfg(processes)]
pub mod temperature;
#[cfg(any(processes, test))]
mod turn;
#[cfg(processes)]
mod upcall;
#[cfg(all(processes, feature = "time"))]
pub mod watchdog;
#[cfg(processes)]
mod window;

#[cfg(all(processes, region_bounds))]
use bounds as regions;

#[cfg(processes)]
pub use answer::{Answer, ErrorCode};
#[cfg(processes)]
pub use client::{Client, Clients, Slots};
#[cfg(processes)]
pub use driver::{Driver, Entry};
#[cfg(processes)]
pub use fault::{Cause, Fault, Policy, stop};
#[cfg(processes)]
pub use life::LifeError;
#[cfg(processes)]
pub use load::{Found, HEADER_MAX, NAME_MAX, Refusal};
#[cfg(processes)]
pub use readable::Readable;
#[cfg(processes)]
pub use record::{Process, Range, Status};
#[cfg(processes)]
pub use served::{Request, Served};
#[cfg(processes)]
pub use system::System;
#[cfg(all(processes, feature = "time"))]
pub use {backoff::RestartLimit, restart_limit::Restarts};

/// Items for the macros.
#[cfg(processes)]
#[doc(hidden)]
pub mod export {
    // Safe: a table of constants.
    pub use super::driver::Lines;
    // Safe: unsafe.
    pub use super::fault::system_fault;
    // Safe: values; nothing reads them but a system, which the macro defines.
    pub use super::permission::{Permit, permits};
    // Safe: values; nothing reads them but a system, which the macro defines.
    pub use super::system::{Table, UPCALLS, abouts, places};
    // Safe: a place has no public function but `new`.
    pub use super::upcall::Place;
    // Safe: a constant.
    #[cfg(noted_pauses)]
    pub use crate::arch::mask::FAULT;
    // Safe: a constant.
    pub use crate::arch::process::LINES;
}
