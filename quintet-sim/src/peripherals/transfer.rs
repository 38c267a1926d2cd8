//! What a device that is a bus master asks of the bus: to move data without the processor.
//!
//! The bus looks for what is wanted whenever a device has changed, so that a transfer happens in
//! the cycle in which its device asks for it. It takes no time and no bandwidth of the processor's.

use crate::processor::instruction::Size;

/// What a device that transfers wait for asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// It has something to be read.
    Receive,
    /// It has room for something to be written.
    Transmit,
}

impl Request {
    /// The request's bit in [`super::Device::requests`].
    pub const fn bit(self) -> u32 {
        match self {
            Self::Receive => 1,
            Self::Transmit => 2,
        }
    }
}

/// One item on its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// The channel of the master.
    pub channel: usize,
    /// Where the item is.
    pub from: Place,
    /// Where it goes.
    pub to: Place,
    /// Whether the bytes of the item change their order.
    pub swaps: bool,
    /// The device at this address must ask for it; none: now.
    pub on: Option<(u32, Request)>,
}

/// One end of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// An address of the bus.
    Bus(u32, Size),
    /// The master itself: see [`super::Device::transferred`]; what it gives to memory.
    Own(u32),
}
