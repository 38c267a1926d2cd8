//! The calls of processes, and the acts of other contexts on them.

use super::layout::{BELL, DESK, Kind, NOBODY, Place};

/// An address of a process, or of somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// Nowhere.
    Null,
    /// The flag that a yield without a wait sets.
    Flag,
    /// A function of the process for upcalls.
    Function(u8),
    /// This number of bytes behind the process's variables.
    Heap(u16),
    /// This number of bytes before the end of the process's memory, or behind.
    End(i16),
    /// This number of bytes behind the header of the process's application, in flash.
    Code(u16),
    /// In that header.
    Header,
    /// In the memory of another process.
    Other,
    /// In the kernel's memory.
    Kernel,
}

impl Spot {
    /// The address, of a process.
    fn address(self, place: &Place) -> u32 {
        match self {
            Self::Null => 0,
            Self::Flag => place.flag,
            Self::Function(which) => place.functions[usize::from(which)] | 1,
            Self::Heap(bytes) => place.used + u32::from(bytes),
            Self::End(bytes) => place.memory.1.wrapping_sub_signed(bytes.into()),
            Self::Code(bytes) => place.code + u32::from(bytes),
            Self::Header => place.flash.0 + 16,
            Self::Other => place.other,
            Self::Kernel => 0x2000_0100,
        }
    }
}

/// An upcall of a driver, by its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upcall {
    /// Of the first driver; 3 and more don't exist.
    Desk(u8),
    /// Of the second driver; 1 and more don't exist.
    Bell(u8),
    /// Of no driver.
    Nobody,
}

impl Upcall {
    const fn words(self) -> [u32; 2] {
        match self {
            Self::Desk(number) => [DESK, number as u32],
            Self::Bell(number) => [BELL, number as u32],
            Self::Nobody => [NOBODY, 0],
        }
    }
}

/// A call of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "as TRD 104 of Tock calls them")]
pub enum Call {
    YieldNoWait(Spot),
    YieldWait,
    YieldWaitFor(Upcall),
    /// A yield of a kind that there isn't.
    YieldOdd,
    Subscribe(Upcall, Spot, u8),
    /// To the second driver, which answers in every possible way.
    Command(u8, u8, u8),
    /// To the first driver, or to none: a command without an effect.
    CommandTo(Upcall),
    /// The second driver does this.
    Do(Act),
    Allow(Kind, Upcall, Spot, u16),
    Break(Spot),
    Grow(i16),
    /// A memory operation, with an argument.
    Memory(u8, u8),
    Exit(u8),
    ExitRestart,
    /// An exit of a kind that there isn't.
    ExitOdd,
    /// A class that there isn't.
    Odd,
    /// No call: a load, a store.
    Load(Spot),
    Store(Spot, u8),
}

/// The words of a call: its class, r0 to r3.
pub type Words = [u32; 5];

/// A number beyond all classes: a load of a word.
pub const LOAD: u32 = 256;
/// The same: a store.
pub const STORE: u32 = 257;
/// The number beyond all classes that the process uses for all other missing classes.
pub const ODD: u32 = 200;
/// The call of a process behind its script.
pub const END: Words = [6, 0, 99, 0, 0];
/// The command of the second driver that does an act.
pub const ACTS: u32 = 12;

/// The values in registers that a call doesn't use.
const UNUSED: [u32; 2] = [0x1111_1111, 0x2222_2222];

impl Call {
    /// Returns the call's words, for a process.
    pub fn words(self, place: &Place) -> Words {
        let at = |spot: Spot| spot.address(place);
        let [first, second] = UNUSED;
        match self {
            Self::YieldNoWait(flag) => [0, 0, at(flag), first, second],
            Self::YieldWait => [0, 1, at(Spot::Flag), first, second],
            Self::YieldWaitFor(upcall) => {
                let [driver, number] = upcall.words();
                [0, 2, driver, number, second]
            }
            Self::YieldOdd => [0, 3, at(Spot::Flag), first, second],
            Self::Subscribe(upcall, function, data) => {
                let [driver, number] = upcall.words();
                [1, driver, number, at(function), data.into()]
            }
            Self::Command(number, one, two) => {
                [2, BELL, number.into(), u32::from(one) << 12, u32::from(two) << 20]
            }
            Self::CommandTo(Upcall::Desk(_)) => [2, DESK, 0, first, second],
            Self::CommandTo(_) => [2, NOBODY, 1, first, second],
            Self::Do(act) => [2, BELL, ACTS, act.word(), second],
            Self::Allow(kind, buffer, spot, size) => {
                let [driver, number] = buffer.words();
                [kind as u32, driver, number, at(spot), size.into()]
            }
            Self::Break(spot) => [5, 0, at(spot), first, second],
            Self::Grow(bytes) => [5, 1, i32::from(bytes) as u32, first, second],
            Self::Memory(operation, argument) => {
                [5, operation.into(), argument.into(), first, second]
            }
            Self::Exit(code) => [6, 0, code.into(), first, second],
            Self::ExitRestart => [6, 1, 0, first, second],
            Self::ExitOdd => [6, 2, 0, first, second],
            Self::Odd => [ODD, 0, 0, first, second],
            Self::Load(spot) => [LOAD, at(spot), 0, first, second],
            Self::Store(spot, byte) => [STORE, at(spot), byte.into(), first, second],
        }
    }
}

/// An act of a thread, an interrupt, idle or a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Lets an upcall of a process become due, with a byte.
    Ring {
        /// The process.
        process: u8,
        /// The upcall, of both drivers; further ones don't exist.
        upcall: u8,
        /// The written byte.
        byte: u8,
    },
    /// The changes of a process's life.
    Stop(u8),
    /// Goes on where the process was stopped.
    Start(u8),
    /// Has ended.
    Terminate(u8),
    /// Begins anew.
    Restart(u8),
    /// Reads the state of a process.
    Look(u8),
    /// Reads the length of a lent buffer.
    Length(u8, u8),
    /// Notifies a thread.
    Unpark(u8),
    /// Writes bytes to a buffer.
    Fill {
        /// The process.
        process: u8,
        /// The number of the writable buffer.
        buffer: u8,
        /// Each of them.
        byte: u8,
    },
    /// Reads bytes of a buffer.
    Read(u8, u8),
    /// For threads only: waits for a notification, and lets equals run.
    Park,
    /// The same.
    Yield,
}

impl Act {
    /// Returns the firmware's word for the act.
    pub const fn word(self) -> u32 {
        let bytes = match self {
            Self::Ring { process, upcall, byte } => [1, process, upcall, byte],
            Self::Stop(process) => [2, process, 0, 0],
            Self::Start(process) => [3, process, 0, 0],
            Self::Terminate(process) => [4, process, 0, 0],
            Self::Restart(process) => [5, process, 0, 0],
            Self::Look(process) => [6, process, 0, 0],
            Self::Length(process, buffer) => [7, process, buffer, 0],
            Self::Unpark(thread) => [8, thread, 0, 0],
            Self::Fill { process, buffer, byte } => [9, process, buffer, byte],
            Self::Read(process, buffer) => [10, process, buffer, 0],
            Self::Park => [11, 0, 0, 0],
            Self::Yield => [12, 0, 0, 0],
        };
        u32::from_le_bytes(bytes)
    }

    /// The act of a word, as [`word`](Self::word) makes it.
    pub const fn of(word: u32) -> Option<Self> {
        let [number, process, what, byte] = word.to_le_bytes();
        Some(match number {
            1 => Self::Ring { process, upcall: what, byte },
            2 => Self::Stop(process),
            3 => Self::Start(process),
            4 => Self::Terminate(process),
            5 => Self::Restart(process),
            6 => Self::Look(process),
            7 => Self::Length(process, what),
            8 => Self::Unpark(process),
            9 => Self::Fill { process, buffer: what, byte },
            10 => Self::Read(process, what),
            11 => Self::Park,
            12 => Self::Yield,
            _ => return None,
        })
    }
}
