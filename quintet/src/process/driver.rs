//! Drivers, which serve the calls of processes.

#![expect(unsafe_code, reason = "a driver's type is behind a pointer in the table")]

use ::core::mem::offset_of;
#[cfg(not(plain_switch))]
use ::core::mem::transmute;

use super::check;
use super::client::{Buffer, Client, Slots};
use super::upcall::Upcall;
use super::{Answer, Process};
use crate::arch::process::{Frame, LINES_BITS, NUMBERS_SIZE, SERVE};
#[cfg(plain_switch)]
use in_registers::{Serve, limited, nobody, serve};

#[cfg(plain_switch)]
mod in_registers;

/// A driver: a static, in the list of an application's drivers.
///
/// A command runs in SVCall, below all levels: every task preempts the command, and no thread or
/// process runs meanwhile. A command must be short, and can't wait. A command begins longer work,
/// and an [upcall](Client::upcall) later tells the process that the work is done.
///
/// ```
/// use quintet::process::{Answer, Client, Clients, Driver, ErrorCode, Slots};
///
/// /// Sums up numbers and bytes for up to 4 processes. Each process has an upcall, and a buffer
/// /// that the driver reads.
/// struct Adder {
///     clients: Clients<4, (), 1, 1>,
/// }
///
/// static ADDER: Adder = Adder { clients: Clients::new([(); 4]) };
///
/// impl Driver for Adder {
///     const NUMBER: u32 = 0x8000_0001;
///     const PLACES: usize = 4;
///
///     fn slots(&'static self, process: usize) -> Slots {
///         self.clients.slots(process)
///     }
///
///     fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
///         match command {
///             1 => Answer::Word(first.wrapping_add(second)),
///             2 => {
///                 let mut bytes = [0; 16];
///                 let count = client.read(0, 0, &mut bytes);
///                 let sum = bytes[..count].iter().map(|byte| u32::from(*byte)).sum();
///                 client.upcall(0, [sum, 0, 0]).into()
///             }
///             _ => Answer::Failure(ErrorCode::NoSupport),
///         }
///     }
/// }
/// ```
pub trait Driver: Sync + 'static {
    /// The number by which processes call the driver.
    const NUMBER: u32;

    /// The number of processes that the driver has places for: the `N` of its
    /// [`Clients`](super::Clients). [`processes!`](crate::processes) refuses a driver with fewer
    /// places than `count`. A driver that keeps the default has places for all processes, or
    /// [`System::start`](super::System::start) finds the number out and panics if it is too small.
    const PLACES: usize = usize::MAX;

    /// Returns the slots for a process, by the place of the process: from the driver's
    /// [`Clients`](super::Clients).
    fn slots(&'static self, process: usize) -> Slots;

    /// Executes a command, as far as this is possible at once. You don't get command 0, which asks
    /// whether the driver exists: [`exists`](Self::exists) answers this command.
    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer;

    /// Answers command 0. Some drivers answer a number, such as the number of their devices.
    fn exists(&'static self, _client: Client) -> Answer {
        Answer::Success
    }

    /// Forgets a process that has ended, or starts again: stop all work for the process. Its
    /// allowed buffers and subscribed upcalls are gone already. Runs in SVCall, and delays every
    /// thread: if it can take more than some 200 cycles, write
    /// [`forget_part`](Self::forget_part) in its place.
    fn forget(&'static self, _client: Client) {}

    /// Forgets a process, as [`forget`](Self::forget) does, but in parts. Returns `true` if nothing
    /// is left. Before that, the kernel calls this again and again, and more urgent threads and
    /// processes run in between.
    fn forget_part(&'static self, client: Client) -> bool {
        self.forget(client);
        true
    }
}

/// A row of the table of drivers.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Entry {
    pub(super) number: u32,
    row: Row,
    pub(super) index: u8,
    /// The user's word for the driver.
    pub(super) name: &'static str,
    pub(super) places: usize,
    slots: unsafe fn(*const (), usize) -> Slots,
    upcall: unsafe fn(*const (), usize, usize) -> Option<&'static Upcall>,
    read_only: unsafe fn(*const (), usize, usize) -> Option<&'static Buffer>,
    read_write: unsafe fn(*const (), usize, usize) -> Option<&'static Buffer>,
    readable: unsafe fn(*const (), usize, usize) -> Option<&'static Buffer>,
    forget_part: unsafe fn(*const (), Client) -> bool,
}

/// A function that serves a command of a process. Takes the frame of the process, the row of the
/// driver, the process, and the number of the command. The permissions of the process were checked
/// with this number, so the number isn't read from the frame again.
#[cfg(not(plain_switch))]
type Serve = unsafe extern "C" fn(&mut Frame, &Row, &'static Process, u32);
/// The part of a driver that a command needs, apart from the driver's number.
#[derive(Clone, Copy)]
#[repr(C)]
struct Row {
    driver: *const (),
    /// The driver's place in the table of drivers.
    index: usize,
    serve: Serve,
}

const _: () = assert!(offset_of!(Row, index) == 4 && offset_of!(Row, serve) == SERVE);

debug_by_name!([] Entry: "Entry");

// SAFETY: drivers are `Sync`, and statics.
unsafe impl Sync for Entry {}

impl Entry {
    /// Makes the row of a driver, at the place `index` of the table.
    #[must_use]
    pub const fn of<D: Driver>(driver: &'static D, index: u8) -> Self {
        Self {
            number: D::NUMBER,
            row: Row {
                driver: ::core::ptr::from_ref(driver).cast(),
                index: index as usize,
                serve: serve::<D>,
            },
            index,
            name: "",
            places: D::PLACES,
            slots: slots::<D>,
            upcall: upcall::<D>,
            read_only: read_only::<D>,
            read_write: read_write::<D>,
            readable: readable::<D>,
            forget_part: forget_part::<D>,
        }
    }

    /// Gives the row the user's word for the driver, which messages say.
    #[doc(hidden)]
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Serves a command, whose number and other words are in the frame.
    #[cfg(plain_switch)]
    pub(super) fn serve(&self, frame: &mut Frame, _process: &'static Process, command: u32) {
        let [number, _, first, second] = frame.registers;
        // SAFETY: the pointer and the function are of one type, and the frame is in the record.
        unsafe { (self.row.serve)(number, command, first, second, &self.row, frame) };
    }

    /// Serves a command, whose number and other words are in the frame.
    #[cfg(not(plain_switch))]
    pub(super) fn serve(&self, frame: &mut Frame, process: &'static Process, command: u32) {
        // SAFETY: the pointer and the function are of one type.
        unsafe { (self.row.serve)(frame, &self.row, process, command) };
    }

    pub(super) fn slots(&self, process: usize) -> Slots {
        // SAFETY: the pointer and the function are of one type.
        unsafe { (self.slots)(self.row.driver, process) }
    }

    /// Returns the upcall `number` of a process.
    pub(super) fn upcall(&self, process: usize, number: usize) -> Option<&'static Upcall> {
        // SAFETY: the pointer and the function are of one type.
        unsafe { (self.upcall)(self.row.driver, process, number) }
    }

    /// Returns the buffer `number` of a process, for reading.
    pub(super) fn read_only(&self, process: usize, number: usize) -> Option<&'static Buffer> {
        // SAFETY: the pointer and the function are of one type.
        unsafe { (self.read_only)(self.row.driver, process, number) }
    }

    /// Returns the buffer `number` of a process, for writing.
    pub(super) fn read_write(&self, process: usize, number: usize) -> Option<&'static Buffer> {
        // SAFETY: the pointer and the function are of one type.
        unsafe { (self.read_write)(self.row.driver, process, number) }
    }

    /// Returns the buffer `number` that the process reads meanwhile.
    pub(super) fn readable(&self, process: usize, number: usize) -> Option<&'static Buffer> {
        // SAFETY: the pointer and the function are of one type.
        unsafe { (self.readable)(self.row.driver, process, number) }
    }

    /// Forgets a part of a process. Returns `true` if nothing is left.
    pub(super) fn forget_part(&self, client: Client) -> bool {
        // SAFETY: the pointer and the function are of one type.
        unsafe { (self.forget_part)(self.row.driver, client) }
    }
}

/// Serves a command of a process.
///
/// # Safety
/// The row's driver is a static of this type.
#[cfg(not(plain_switch))]
unsafe extern "C" fn serve<D: Driver>(
    frame: &mut Frame,
    row: &Row,
    process: &'static Process,
    command: u32,
) {
    // SAFETY: the caller's.
    let driver: &'static D = unsafe { &*row.driver.cast() };
    let client = Client { process, driver: row.index as u8 };
    let [_, _, first, second] = frame.registers;
    let answer = if command == 0 {
        driver.exists(client)
    } else {
        driver.command(client, command, first, second)
    };
    answer.write(frame);
}

/// Returns all slots of a process.
///
/// # Safety
/// `driver` is a static of this type.
unsafe fn slots<D: Driver>(driver: *const (), process: usize) -> Slots {
    // SAFETY: the caller's.
    let driver: &'static D = unsafe { &*driver.cast() };
    driver.slots(process)
}

/// Returns one upcall. The compiler removes the code for the other slots.
///
/// # Safety
/// `driver` is a static of this type.
unsafe fn upcall<D: Driver>(
    driver: *const (),
    process: usize,
    number: usize,
) -> Option<&'static Upcall> {
    // SAFETY: the caller's.
    let driver: &'static D = unsafe { &*driver.cast() };
    driver.slots(process).upcalls.get(number)
}

/// Returns one buffer for reading.
///
/// # Safety
/// `driver` is a static of this type.
unsafe fn read_only<D: Driver>(
    driver: *const (),
    process: usize,
    number: usize,
) -> Option<&'static Buffer> {
    // SAFETY: the caller's.
    let driver: &'static D = unsafe { &*driver.cast() };
    driver.slots(process).read_only.get(number)
}

/// Returns one buffer for writing.
///
/// # Safety
/// `driver` is a static of this type.
unsafe fn read_write<D: Driver>(
    driver: *const (),
    process: usize,
    number: usize,
) -> Option<&'static Buffer> {
    // SAFETY: the caller's.
    let driver: &'static D = unsafe { &*driver.cast() };
    driver.slots(process).read_write.get(number)
}

/// Returns one buffer that the process reads meanwhile.
///
/// # Safety
/// `driver` is a static of this type.
unsafe fn readable<D: Driver>(
    driver: *const (),
    process: usize,
    number: usize,
) -> Option<&'static Buffer> {
    // SAFETY: the caller's.
    let driver: &'static D = unsafe { &*driver.cast() };
    driver.slots(process).readable.get(number)
}

/// Forgets a part of a process.
///
/// # Safety
/// `driver` is a static of this type.
unsafe fn forget_part<D: Driver>(driver: *const (), client: Client) -> bool {
    // SAFETY: the caller's.
    let driver: &'static D = unsafe { &*driver.cast() };
    driver.forget_part(client)
}

/// The drivers that are found at once, for processes that may call everything, and for processes
/// with permissions. The second table is the first one, but each of its lines has the function
/// `limited`, which looks at the permissions and then serves the command by the same line of the
/// first table.
#[repr(C)]
pub struct Lines {
    all: Numbers,
    limited: Numbers,
}

/// A hash table of drivers. The upper bits of a driver's number, times the multiplier, are the
/// driver's line. If two drivers fall into one line, a search in the table of drivers finds the
/// later one.
///
/// A line without a driver contains a number that belongs to another line, so that no search in
/// this line finds the number.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Numbers {
    multiplier: u32,
    lines: [Line; 1 << LINES_BITS],
}

const _: () = assert!(offset_of!(Lines, limited) == NUMBERS_SIZE);

debug_by_name!([] Lines: "Lines");
debug_by_name!([] Numbers: "Numbers");

// SAFETY: drivers are `Sync`, and statics.
unsafe impl Sync for Lines {}

/// A driver's line. The assembly compares the number.
#[derive(Clone, Copy)]
#[repr(C)]
struct Line {
    number: u32,
    row: Row,
}

#[cfg(not(plain_switch))]
unsafe extern "C" {
    /// Serves a command if the permissions of the process allow it, in the assembly of SVCall.
    #[link_name = "__quintet_limited_command"]
    fn limited();
}

/// The first multiplier; others are tried if it lets two drivers fall into one line.
const MULTIPLIER: u32 = 0x9e37_79b1;
/// The number of multipliers that are tried.
const TRIES: u32 = 64;

impl Lines {
    /// Makes the lines for a table.
    ///
    /// # Panics
    /// If two drivers have the same number, at compile time.
    #[must_use]
    pub const fn of(table: &'static [Entry]) -> Self {
        check::refuse_twins(table);
        let (mut best, mut best_missing) = (MULTIPLIER, usize::MAX);
        let mut tried = 0;
        while tried < TRIES && best_missing > 0 {
            let multiplier = MULTIPLIER.wrapping_add(tried.wrapping_mul(0x0101_0102)) | 1 << 31;
            let missing = Numbers::missing(multiplier, table);
            if missing < best_missing {
                (best, best_missing) = (multiplier, missing);
            }
            tried += 1;
        }
        let all = Numbers::of(best, table);
        Self { all, limited: all.limited() }
    }

    /// Returns the lines for a process, whose commands may be limited.
    pub(super) const fn of_process(&self, is_limited: bool) -> &Numbers {
        if is_limited { &self.limited } else { &self.all }
    }

    /// Returns the place of the driver with this number, if the driver is in its line.
    #[inline(always)]
    pub(super) const fn find(&self, number: u32) -> Option<usize> {
        let line = &self.all.lines[Numbers::at(self.all.multiplier, number)];
        if line.number == number { Some(line.row.index) } else { None }
    }
}

impl Numbers {
    /// Returns the line of a number.
    const fn at(multiplier: u32, number: u32) -> usize {
        (multiplier.wrapping_mul(number) >> (32 - LINES_BITS)) as usize
    }

    const fn of(multiplier: u32, table: &[Entry]) -> Self {
        let row = Row { driver: ::core::ptr::null(), index: 0, serve: nobody };
        let mut lines = [Line { number: 0, row }; 1 << LINES_BITS];
        // 0 belongs to line 0, and 1 to another line, as the multiplier is large enough.
        lines[0].number = 1;
        let mut index = table.len();
        while index > 0 {
            index -= 1;
            let Entry { number, row, .. } = table[index];
            lines[Self::at(multiplier, number)] = Line { number, row };
        }
        Self { multiplier, lines }
    }

    /// Returns the same table, for processes with permissions.
    const fn limited(mut self) -> Self {
        #[cfg(plain_switch)]
        let serve: Serve = limited;
        // SAFETY: the assembly is called with the arguments of this type.
        #[cfg(not(plain_switch))]
        let serve: Serve = unsafe { transmute(limited as unsafe extern "C" fn()) };
        let mut index = 0;
        while index < self.lines.len() {
            self.lines[index].row.serve = serve;
            index += 1;
        }
        self
    }

    /// Returns the number of drivers of a table that have no line of their own.
    const fn missing(multiplier: u32, table: &[Entry]) -> usize {
        let (mut taken, mut missing, mut index) = (0u32, 0, 0);
        while index < table.len() {
            let bit = 1 << Self::at(multiplier, table[index].number);
            missing += (taken & bit != 0) as usize;
            taken |= bit;
            index += 1;
        }
        missing
    }
}

/// The function in a line without a driver.
#[cfg(not(plain_switch))]
unsafe extern "C" fn nobody(_: &mut Frame, _: &Row, _: &'static Process, _: u32) {}
