//! The requests of a bus master to the bus: to move data without the processor.
//!
//! The bus looks for requests whenever a device has changed, so that a transfer happens in the
//! cycle in which its device asks for it. A transfer takes no time, and no bandwidth of the
//! processor.

use crate::processor::instruction::Size;

/// The request of a device for which transfers wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// The device has data to be read.
    Receive,
    /// The device has room for a write.
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
    /// The item's source.
    pub from: Place,
    /// The item's destination.
    pub to: Place,
    /// `true` if the bytes of the item change their order.
    pub swaps: bool,
    /// The device at this address must ask for the transfer; `None`: now.
    pub on: Option<(u32, Request)>,
}

/// One end of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// An address of the bus.
    Bus(u32, Size),
    /// The master itself: see [`super::Device::transferred`]. The value goes to memory.
    Own(u32),
}
