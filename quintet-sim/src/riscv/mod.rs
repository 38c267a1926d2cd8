//! RISC-V: a 32-bit hart with machine and user mode, its interruptor, and boards around it.
//!
//! ```text
//!  let board = riscv::board::Board::named("virt-rv32")?;
//!  let mut machine = riscv::machine::Machine::new(&board);
//!  machine.load(&image)?;
//!  let stop = machine.run(&Limits::default());
//! ```
//! [`decode`] turns bits into an [`instruction`]; [`hart`] runs it, by [`arithmetic`], `memory` and
//! [`csr`]; [`trap`] enters and leaves handlers; [`pmp`] protects memory. The hart is generic over
//! [`bus`], and [`platform`] is the bus of a board: memories, devices, [`clint`], [`finisher`], and
//! those of Ibex's [`simple_system`] and of [`litex`]. Controllers of interrupts are [`plic`], a
//! VexRiscv's [`mask`] and Hazard3's [`xh3irq`].
//!
//! A core that has a model in [`timing`] takes the cycles of its pipeline. On any other core, each
//! instruction takes one cycle, and so does the entry of a handler for an exception.

pub mod arithmetic;
mod atomic;
pub mod board;
pub mod bus;
pub mod clint;
mod controller;
mod core;
pub mod csr;
pub mod decode;
pub mod extensions;
pub mod finisher;
pub mod hart;
pub mod history;
mod inspect;
pub mod instruction;
pub mod litex;
pub mod machine;
pub mod mask;
mod memory;
mod outside;
pub mod platform;
pub mod plic;
pub mod pmp;
mod rp2350_timer;
pub mod simple_system;
pub mod snapshot;
mod stack;
#[cfg(test)]
mod tests;
pub mod text;
mod timed;
pub mod timing;
pub mod trap;
mod vexriscv;
mod vexriscv_pmp;
pub mod xh3irq;
