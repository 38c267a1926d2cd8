//! What an observer can see of the processor: exception entries and exits, sleeping, changes of the
//! masks.
//!
//! Events are recorded only while observation is on; otherwise they cost one test of a flag.

/// One of the registers that hold interrupts off.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mask {
    /// PRIMASK.
    Primask,
    /// FAULTMASK.
    Faultmask,
    /// BASEPRI.
    Basepri,
}

/// Something that happened, and the cycle in which it did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The cycle since reset.
    pub cycle: u64,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// An exception's handler is about to execute its first instruction.
    Enter {
        /// The exception number.
        exception: u16,
        /// The cycle in which the processor began the entry.
        began: u64,
        /// Entered from another exception's return, without stacking.
        tail_chained: bool,
        /// It took over from this exception, which was being entered when it arrived.
        late_arrival_over: Option<u16>,
        /// Where the interrupted code continues; of a tail-chained entry, the EXC_RETURN value.
        return_address: u32,
    },
    /// A handler returned (also when the next one is then tail-chained).
    Exit {
        /// The exception number.
        exception: u16,
        /// The EXC_RETURN value.
        exc_return: u32,
    },
    /// The processor went to sleep.
    Sleep {
        /// The address of the WFI or WFE; of sleep-on-exit, where thread mode continues.
        pc: u32,
    },
    /// It woke up.
    Wake,
    /// The machine was reset, at the program's request or by a watchdog.
    Reset,
    /// A mask register was written with a new value.
    MaskChange {
        /// Which.
        mask: Mask,
        /// The new value; 0 lets interrupts in.
        value: u8,
        /// The address of the instruction that wrote it.
        pc: u32,
    },
}
