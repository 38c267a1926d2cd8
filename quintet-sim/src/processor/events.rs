//! The events of the processor that an observer can see: exception entries and exits, sleeping,
//! changes of the masks.
//!
//! Events are recorded only while observation is on. Otherwise they cost one test of a flag.

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

/// An event, and its cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The cycle since reset.
    pub cycle: u64,
    /// The kind of the event.
    pub kind: EventKind,
}

/// The kinds of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// An exception's handler is about to execute its first instruction.
    Enter {
        /// The exception number.
        exception: u16,
        /// The cycle in which the entry began.
        began: u64,
        /// Entered from another exception's return, without stacking.
        tail_chained: bool,
        /// The exception that was being entered when this one arrived and took over.
        late_arrival_over: Option<u16>,
        /// Where the interrupted code continues. For a tail-chained entry, the EXC_RETURN value.
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
        /// The address of the WFI or WFE. For sleep-on-exit, where thread mode continues.
        pc: u32,
    },
    /// The processor woke up.
    Wake,
    /// The machine was reset, at the program's request or by a watchdog.
    Reset,
    /// A mask register was written with a new value.
    MaskChange {
        /// The mask.
        mask: Mask,
        /// The new value; 0 lets interrupts in.
        value: u8,
        /// The address of the instruction that wrote the mask.
        pc: u32,
    },
}
