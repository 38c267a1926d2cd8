//! The places of the processes, and the drivers that they call.

/// The processes: the first contexts.
pub const PROCESSES: usize = 3;
/// Upcalls that may be due of each.
pub const ROOM: usize = 3;
/// The number of the driver that has the scripts: three upcalls, two buffers to read from, two to
/// write to, one that the process reads.
pub const DESK: u32 = 0x8000_0005;
/// The number of the driver that answers in all ways: one upcall, one buffer to write to.
pub const BELL: u32 = 0x8000_0006;
/// The number of no driver.
pub const NOBODY: u32 = 0x8000_0007;
/// The upcalls of both drivers: those of the second one last.
pub const UPCALLS: usize = 4;
/// The buffers of both: to read from, to write to, that the process reads, of the second driver.
pub const BUFFERS: usize = 6;
/// Drivers write to and read from buffers behind so many bytes, and up to as many bytes.
pub const BEHIND: u32 = 4;
/// At most.
pub const COPIED: u32 = 16;

/// The place of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    /// The process's memory: the first address, and the address behind the last.
    pub memory: (u32, u32),
    /// The process's application in flash.
    pub flash: (u32, u32),
    /// The same behind the header.
    pub code: u32,
    /// The end of the process's variables, which is the break after its beginning.
    pub used: u32,
    /// The process's functions for upcalls.
    pub functions: [u32; 2],
    /// The accessible memory ends at a multiple of this number, from its beginning on.
    pub step: u32,
    /// In the memory of another one.
    pub other: u32,
    /// The flag that a yield without a wait sets.
    pub flag: u32,
}

/// The places of all processes.
pub type Layout = [Place; PROCESSES];

/// The upcall of a driver by its number there.
pub fn upcall(driver: u32, number: u32) -> Option<usize> {
    match (driver, number) {
        (DESK, 0..3) => Some(number as usize),
        (BELL, 0) => Some(3),
        _ => None,
    }
}

/// The use of a lent buffer, by the class of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The driver writes.
    ReadWrite = 3,
    /// The driver reads.
    ReadOnly = 4,
    /// The driver writes, and the process reads meanwhile.
    Readable = 7,
}

/// The buffer of a driver by its number there.
pub fn buffer(driver: u32, number: u32, kind: Kind) -> Option<usize> {
    match (driver, kind, number) {
        (DESK, Kind::ReadOnly, 0..2) => Some(number as usize),
        (DESK, Kind::ReadWrite, 0..2) => Some(2 + number as usize),
        (DESK, Kind::Readable, 0) => Some(4),
        (BELL, Kind::ReadWrite, 0) => Some(5),
        _ => None,
    }
}
