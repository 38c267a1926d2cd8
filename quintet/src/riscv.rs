//! The device of an application on RISC-V: interrupts by software, and those of the platform.
//!
//! ```text
//! #[quintet::app(device = quintet::riscv, dispatchers = [SOFTWARE0, SOFTWARE1])]
//! ```
//!
//! Any of the 24 software interrupts dispatches software tasks, or is bound by a task and pended by
//! [`pend`](crate::pend). All of them share the software interrupt of hart 0, whose register `msip`
//! is at `0x0200_0000`, as in the core-local interruptor of SiFive. For a platform that has it
//! elsewhere, say the address in the environment of the build, best in `.cargo/config.toml`:
//!
//! ```toml
//! [env]
//! QUINTET_MSIP = "0xf001_0000"
//! ```
//!
//! A task may bind `MachineTimer` or `MachineExternal` as well. Such an interrupt comes again until
//! its task has served the device: has moved `mtimecmp`, or has claimed and completed the source in
//! the interrupt controller. After a reset `mtimecmp` may be 0, so set it in `init`. An
//! application's clock, [`machine_timer`](crate::machine_timer), takes `MachineTimer`.
//!
//! The crate `riscv-rt` starts the program, without its feature `v-trap`. The kernel has the trap,
//! and hands on what no task binds: such handlers are functions of the application by `riscv-rt`'s
//! names, and may pend interrupts and wake. Interrupts are off while they run. A section of the
//! kernel holds them off.
//!
//! If the hart has physical memory protection, locked entries of it guard the stacks of threads.
//! With user mode as well, there can be processes. There are no statistics.

#![expect(unsafe_code, reason = "names of interrupts are an unsafe trait")]

use crate::arch::device::{EXTERNAL, InterruptNumber, TIMER};

pub use crate::arch::device::MTIMER;

/// The bits of a priority.
pub const NVIC_PRIO_BITS: u8 = 5;

/// An interrupt: one that programs pend, or one of the platform, by the name of `riscv-rt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Interrupt {
    /// Interrupt 0.
    SOFTWARE0 = 0,
    /// Interrupt 1.
    SOFTWARE1 = 1,
    /// Interrupt 2.
    SOFTWARE2 = 2,
    /// Interrupt 3.
    SOFTWARE3 = 3,
    /// Interrupt 4.
    SOFTWARE4 = 4,
    /// Interrupt 5.
    SOFTWARE5 = 5,
    /// Interrupt 6.
    SOFTWARE6 = 6,
    /// Interrupt 7.
    SOFTWARE7 = 7,
    /// Interrupt 8.
    SOFTWARE8 = 8,
    /// Interrupt 9.
    SOFTWARE9 = 9,
    /// Interrupt 10.
    SOFTWARE10 = 10,
    /// Interrupt 11.
    SOFTWARE11 = 11,
    /// Interrupt 12.
    SOFTWARE12 = 12,
    /// Interrupt 13.
    SOFTWARE13 = 13,
    /// Interrupt 14.
    SOFTWARE14 = 14,
    /// Interrupt 15.
    SOFTWARE15 = 15,
    /// Interrupt 16.
    SOFTWARE16 = 16,
    /// Interrupt 17.
    SOFTWARE17 = 17,
    /// Interrupt 18.
    SOFTWARE18 = 18,
    /// Interrupt 19.
    SOFTWARE19 = 19,
    /// Interrupt 20.
    SOFTWARE20 = 20,
    /// Interrupt 21.
    SOFTWARE21 = 21,
    /// Interrupt 22.
    SOFTWARE22 = 22,
    /// Interrupt 23.
    SOFTWARE23 = 23,
    /// The timer of the platform. It is pending while `mtime` isn't below `mtimecmp`.
    MachineTimer = TIMER,
    /// The platform's interrupt controller, such as the PLIC: the routine asks it who has
    /// interrupted.
    MachineExternal = EXTERNAL,
}

pub use Interrupt as interrupt;

// SAFETY: each name has one number.
unsafe impl InterruptNumber for Interrupt {
    #[inline(always)]
    fn number(self) -> u16 {
        self as u16
    }
}

/// The device's peripherals: the kernel knows of none.
#[derive(Debug)]
pub struct Peripherals {
    _private: (),
}

impl Peripherals {
    /// Makes the value.
    ///
    /// # Safety
    /// None: the name is that of devices' crates.
    #[must_use]
    pub const unsafe fn steal() -> Self {
        Self { _private: () }
    }
}
