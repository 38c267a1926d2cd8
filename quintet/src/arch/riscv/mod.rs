//! RISC-V with 32 bits: one hart in machine mode, levels by one software interrupt.
//!
//! There is no controller that knows of priorities. This folder has one in software: [`software`]
//! keeps pending bits and the priority that runs, and the hart's software interrupt is the door.
//! `docs/decisions/0061-run-levels-on-one-software-interrupt.md` says why this is sound.
//!
//! Some files are those of cores without BASEPRI: they have no instruction in them.

#![expect(unsafe_code, reason = "masks, system registers and interrupt routines are unsafe to use")]

pub mod device;
#[path = "../cortex_m/dispatch.rs"]
mod dispatch;
mod entries;
pub mod guard;
mod interrupts;
#[path = "../cortex_m/map.rs"]
mod map;
pub mod mask;
#[cfg(processes)]
pub mod process;
#[cfg(processes)]
pub mod protection;
#[path = "../cortex_m/registers.rs"]
mod registers;
pub mod software;
pub mod switch;
#[cfg(feature = "time")]
pub mod tick;
#[cfg(feature = "time")]
pub mod timer;
mod trap;
pub mod upward;
mod wait;
pub mod words;
#[path = "../cortex_m/words_plain.rs"]
mod words_plain;
#[path = "../cortex_m/words_replaced.rs"]
mod words_replaced;

use interrupts as all_interrupts;

pub use dispatch::{Wake, wake_function};
pub use interrupts::{disable_interrupts, enable_interrupts};
pub use registers::at_hand;
#[cfg(feature = "time")]
pub use registers::decided;
pub use software::{
    Interrupts, enable, pend, set_exception_priority, set_interrupt_priority, take_pending,
};
pub use wait::{signal_event, sleep_until_event};
