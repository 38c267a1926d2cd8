//! What has happened in a step, on either core.

use crate::masks::Masks;

/// The numbers of what holds interrupts off: PRIMASK, FAULTMASK, BASEPRI, and MIE of `mstatus`.
pub const MASKS: [&str; 4] = ["PRIMASK", "FAULTMASK", "BASEPRI", "mstatus.MIE"];

/// The number of BASEPRI, which has a value.
pub const BASEPRI: u8 = 2;

/// The number of MIE.
pub const MACHINE_STATUS: u8 = 3;

/// Something that has happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A handler is about to execute its first instruction.
    Entered {
        /// The handler.
        handler: u16,
        /// The first cycle of the entry.
        began: u64,
        /// The cycle behind it.
        cycle: u64,
        /// Where the interrupted code goes on.
        from: u32,
    },
    /// A handler has returned.
    Left {
        /// When.
        cycle: u64,
    },
    /// The processor sleeps.
    Slept {
        /// Since when.
        cycle: u64,
    },
    /// The processor woke up.
    Woke {
        /// When.
        cycle: u64,
    },
    /// A register of [`MASKS`] has another value.
    Masked {
        /// The register.
        mask: u8,
        /// The value; 0 lets interrupts in.
        value: u8,
        /// Since when.
        cycle: u64,
    },
    /// MIE of `mstatus` was clear for a time.
    Held {
        /// From when to when.
        times: (u64, u64),
        /// The cycles without those of handlers and of sleep.
        own: u64,
    },
    /// The machine was reset.
    Reset {
        /// When.
        cycle: u64,
    },
}

/// What an observer has seen of a core that doesn't tell all its events.
#[derive(Default)]
pub struct Seen {
    /// Whether the core sleeps.
    pub is_asleep: bool,
    /// Times without interrupts.
    pub masks: Masks,
}
