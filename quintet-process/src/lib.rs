//! Applications for processes, in Rust: of [Quintet](https://docs.rs/quintet), and of every kernel with
//! the system calls of Tock 2.
//!
//! A process is a program of its own beside the kernel. It runs unprivileged within its own flash
//! and memory, and reaches everything else by system calls: commands to drivers, buffers that it
//! lends to them, and upcalls by which they say that something is done.
//!
//! ```no_run
//! #![no_std]
//! #![no_main]
//! # extern crate std;
//!
//! use quintet_process::alarm::{Duration, sleep};
//! use quintet_process::leds::Led;
//! use quintet_process::{ErrorCode, println};
//!
//! quintet_process::main!(async blink);
//!
//! async fn blink() -> Result<(), ErrorCode> {
//!     println!("blinking");
//!     loop {
//!         Led(0).toggle()?;
//!         sleep(Duration::from_millis(250)).await;
//!     }
//! }
//! ```
//!
//! `quintet pack` builds such a crate and makes a file in the Tock binary format of each of its
//! programs; `quintet run KERNEL --process DIRECTORY` runs them behind a kernel in the simulator.
//!
//! # Blocking and waiting
//!
//! What takes time is there twice: as an `async fn`, and as a function with `_blocking` at the end of
//! its name. Either lets the process sleep: it takes no time of the processor. Both may be used in one
//! program; what blocks holds off all futures of the process. Each function that waits says whether it
//! is cancel safe, that is, whether its future may be dropped without losing anything.
//!
//! # What is safe, and why
//!
//! A process has one thread. Upcalls run within yields alone, so nothing is shared with an interrupt,
//! and no lock is needed. Drivers reach what is lent to them, at any time: see [`lend`]. No function
//! here takes a buffer that a forgotten future could leave lent, and nothing that is safe lets a
//! driver write to what has been freed.
//!
//! # Features
//!
//! - `panic-handler` (on by default): a panic says 1 by [low-level debug](low_level_debug), prints its
//!   message to the console, and ends the process with the code 101.
//! - `alloc`: a global allocator over the memory behind the variables. The header of the application
//!   says how much there is: `quintet pack --heap BYTES`.
//!
//! # Costs
//!
//! A write to the console that fits into one piece is two system calls, and so is a sleep behind the
//! first one but for the looks at the time. Nothing is subscribed or lent anew for each. What a program
//! doesn't use takes neither flash nor memory.

#![cfg_attr(not(test), no_std)]

#[cfg(not(target_os = "none"))]
extern crate std;

pub mod alarm;
pub mod buttons;
mod command;
pub mod console;
mod error;
mod executor;
pub mod gpio;
#[cfg(feature = "alloc")]
mod heap;
#[cfg(not(target_os = "none"))]
pub mod host;
pub mod ipc;
pub mod leds;
pub mod lend;
pub mod low_level_debug;
pub mod memory;
mod operation;
#[cfg(all(target_os = "none", feature = "panic-handler"))]
mod panic;
pub mod random;
mod start;
mod system;
pub mod temperature;
mod upcall;
mod wakers;

pub use command::{Answer, command, exists};
pub use error::ErrorCode;
pub use executor::{Either, block_on, join, select};
pub use lend::Buffer;
pub use operation::Operation;
pub use start::{Stack, Termination, end, exit, restart};
pub use upcall::{Next, Upcall, subscribed, yield_no_wait, yield_wait};
