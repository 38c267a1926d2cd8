//! You write applications for processes in Rust: for [Quintet](https://docs.rs/quintet), and for
//! every kernel with the system calls of Tock 2.
//!
//! A process is a program of its own beside the kernel. The process runs unprivileged within its
//! own flash and memory, and reaches everything else by system calls: it sends commands to drivers,
//! lends buffers to drivers, and gets upcalls when a driver has finished an operation.
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
//! `quintet pack` builds a crate of such programs, and makes a file in the Tock binary format of
//! each program. `quintet run KERNEL --process DIRECTORY` runs the files behind a kernel in the
//! simulator.
//!
//! # Blocking and waiting
//!
//! Each operation that takes time exists in two forms: as an `async fn`, and as a function with
//! `_blocking` at the end of its name. In both forms the process sleeps, and takes no time of the
//! processor. You may use both forms in one program, but a blocking function holds up all futures
//! of the process. Each function that waits says whether it is cancel safe, that is, whether you
//! may drop its future without losing anything.
//!
//! # What is safe, and why
//!
//! A process has one thread. Upcalls run only within yields, so that your code shares nothing with
//! an interrupt, and needs no lock. Drivers access lent buffers at any time: see [`lend`]. No
//! function here takes a buffer that a forgotten future could leave lent, and no safe function lets
//! a driver write to freed memory.
//!
//! # Features
//!
//! - `panic-handler` (on by default): a panic sends 1 by [low-level debug](low_level_debug), prints
//!   its place to the console, and ends the process with the code 101.
//! - `panic-message`: a panic prints its message as well. This takes 1 to 3 KB of code: that of
//!   everything that a message in the program may format.
//! - `alloc`: a global allocator over the memory behind the variables. You choose the size with
//!   [`main!`]`(.., heap = BYTES)`.
//!
//! # Costs
//!
//! A write to the console that fits into one piece is two system calls. So is a sleep after the
//! first one, apart from reading the time. No function subscribes or lends anew for each operation.
//! Your program takes neither flash nor memory for functions that it doesn't use. A text without
//! arguments is printed without the code that formats.

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
