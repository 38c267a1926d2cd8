//! The data that a driver keeps for each process: upcalls, allowed buffers, and the driver's own
//! state.

#![expect(unsafe_code, reason = "the memory of processes is copied from and to")]

use ::core::cell::Cell;
use ::core::ptr;

use super::ErrorCode;
use super::readable::Readable;
use super::record::{Process, Status};
use super::system::system;
use super::upcall::{Due, Upcall, schedule};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;

/// The number of bytes of a process's memory that are copied in one section of the kernel's lock.
const CHUNK: usize = 16;

/// The number of restarts of a process, modulo 2^16. Code that remembers a process compares this
/// number.
pub type Life = u16;

/// A buffer that a process has allowed.
#[derive(Debug, Default)]
pub struct Buffer {
    pub(super) address: Cell<u32>,
    pub(super) size: Cell<u32>,
}

// SAFETY: written in SVCall and read in jobs, under the kernel's lock.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Makes a buffer of no bytes.
    const fn none() -> Self {
        Self { address: Cell::new(0), size: Cell::new(0) }
    }
}

/// The data that a driver keeps for `N` processes, as a field of the driver. Each process has a
/// state `T`, and the given numbers of upcalls, of buffers to read from and to write to, and of
/// buffers that the process reads while the driver writes.
///
/// ```
/// use core::sync::atomic::{AtomicU32, Ordering};
/// use quintet::process::{Answer, Client, Clients, Driver, ErrorCode, Slots};
///
/// /// Tells processes about samples. Each process has a count of its samples, and an upcall.
/// struct Meter {
///     clients: Clients<4, AtomicU32, 1>,
/// }
///
/// static METER: Meter = Meter { clients: Clients::new([const { AtomicU32::new(0) }; 4]) };
///
/// impl Meter {
///     /// Tells a sample to all processes that want samples. You call this in the interrupt task
///     /// that has the sample.
///     fn sampled(&'static self, sample: u32) {
///         for client in self.clients.noted() {
///             // One task alone counts: a core of ARMv6-M adds in no single step.
///             let counter = self.clients.state(client.index());
///             let count = counter.load(Ordering::Relaxed);
///             counter.store(count + 1, Ordering::Relaxed);
///             // Without room for another upcall, the process doesn't get this sample.
///             let _no_room = client.upcall(0, [sample, count, 0]);
///         }
///     }
/// }
///
/// impl Driver for Meter {
///     const NUMBER: u32 = 0x8000_0002;
///     const PLACES: usize = 4;
///
///     fn slots(&'static self, process: usize) -> Slots {
///         self.clients.slots(process)
///     }
///
///     fn command(&'static self, client: Client, command: u32, _: u32, _: u32) -> Answer {
///         match command {
///             1 => {
///                 self.clients.note(client);
///                 Answer::Success
///             }
///             2 if self.clients.drop_note(client) => Answer::Success,
///             2 => Answer::Failure(ErrorCode::Already),
///             _ => Answer::Failure(ErrorCode::NoSupport),
///         }
///     }
///
///     fn forget(&'static self, client: Client) {
///         self.clients.drop_note(client);
///         self.clients.state(client.index()).store(0, Ordering::Relaxed);
///     }
/// }
/// ```
pub struct Clients<
    const N: usize,
    T,
    const UPCALLS: usize = 0,
    const READ_ONLY: usize = 0,
    const READ_WRITE: usize = 0,
    const READABLE: usize = 0,
> {
    /// The processes for which the driver works after a command has ended.
    known: [KernelCell<Cell<Option<Client>>>; N],
    states: [T; N],
    upcalls: [[Upcall; UPCALLS]; N],
    read_only: [[Buffer; READ_ONLY]; N],
    read_write: [[Buffer; READ_WRITE]; N],
    readable: [[Buffer; READABLE]; N],
}

impl<
    const N: usize,
    T,
    const UPCALLS: usize,
    const READ_ONLY: usize,
    const READ_WRITE: usize,
    const READABLE: usize,
> Clients<N, T, UPCALLS, READ_ONLY, READ_WRITE, READABLE>
{
    /// Makes the data, with a state for each process.
    #[must_use]
    pub const fn new(states: [T; N]) -> Self {
        Self {
            known: [const { KernelCell::new(Cell::new(None)) }; N],
            states,
            upcalls: [const { [const { Upcall::none() }; UPCALLS] }; N],
            read_only: [const { [const { Buffer::none() }; READ_ONLY] }; N],
            read_write: [const { [const { Buffer::none() }; READ_WRITE] }; N],
            readable: [const { [const { Buffer::none() }; READABLE] }; N],
        }
    }

    /// Returns the slots of a process.
    pub fn slots(&'static self, process: usize) -> Slots {
        Slots {
            places: N,
            upcalls: self.upcalls.get(process).map_or(&[], |all| all.as_slice()),
            read_only: self.read_only.get(process).map_or(&[], |all| all.as_slice()),
            read_write: self.read_write.get(process).map_or(&[], |all| all.as_slice()),
            readable: self.readable.get(process).map_or(&[], |all| all.as_slice()),
        }
    }

    /// Notes that the driver has begun to work for a process. [`noted`](Self::noted) then returns
    /// the process. Call this in a command of the process, or at the end of another piece of its
    /// work.
    pub fn note(&self, client: Client) {
        kernel(|lock| self.known[client.index()].get(lock).set(Some(client)));
    }

    /// Notes that the driver no longer works for a process. Returns `true` if the driver did.
    pub fn drop_note(&self, client: Client) -> bool {
        kernel(|lock| self.known[client.index()].get(lock).take()).is_some()
    }

    /// Returns the processes for which the driver works, by their places, the lowest first. From
    /// every context that the kernel knows of; takes a section of the kernel's lock for each
    /// process.
    pub fn noted(&self) -> impl Iterator<Item = Client> {
        self.known.iter().filter_map(|known| kernel(|lock| known.get(lock).get()))
    }

    /// Returns the state for a process.
    #[must_use]
    pub fn state(&self, process: usize) -> &T {
        &self.states[process]
    }
}

debug_by_name!(
    [
        const N: usize, T, const UPCALLS: usize, const READ_ONLY: usize, const READ_WRITE: usize,
        const READABLE: usize
    ]
    Clients<N, T, UPCALLS, READ_ONLY, READ_WRITE, READABLE>: "Clients"
);

/// The slots that a driver keeps for a process.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// The number of processes that the driver has slots for.
    pub(super) places: usize,
    pub(super) upcalls: &'static [Upcall],
    pub(super) read_only: &'static [Buffer],
    pub(super) read_write: &'static [Buffer],
    pub(super) readable: &'static [Buffer],
}

impl Slots {
    /// No slots.
    pub const NONE: Self =
        Self { places: usize::MAX, upcalls: &[], read_only: &[], read_write: &[], readable: &[] };
}

/// A process as a driver sees it: the process has called, or the driver works for the process.
///
/// The value stays valid when the process ends or starts again. Then its buffers have no bytes, and
/// its upcalls have no effect.
///
/// ```
/// use quintet::process::{Answer, Client};
///
/// /// Writes the bytes of the process's buffer 0 in capital letters to its other buffer 0, and
/// /// tells their number by the upcall 0.
/// fn capitals(client: Client) -> Answer {
///     let mut bytes = [0; 32];
///     let wanted = client.read_only_len(0).min(client.read_write_len(0)).min(bytes.len());
///     let count = client.read(0, 0, &mut bytes[..wanted]);
///     bytes.make_ascii_uppercase();
///     let written = client.write(0, 0, &bytes[..count]);
///     client.upcall(0, [written as u32, 0, 0]).into()
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Client {
    pub(super) process: &'static Process,
    pub(super) driver: u8,
}

debug_by_name!([] Client: "Client");

// SAFETY: everything behind it is touched under the kernel's lock.
unsafe impl Send for Client {}
// SAFETY: the same.
unsafe impl Sync for Client {}

impl Client {
    /// Returns the process.
    #[must_use]
    pub const fn process(&self) -> &'static Process {
        self.process
    }

    /// Returns the place of the process in the table of processes. The process's state has the same
    /// place.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.process.index()
    }

    pub(super) fn slots(&self) -> Slots {
        system().slots(self.driver, self.process.index())
    }

    /// Returns the size in bytes of the buffer `number` that the process has allowed for reading.
    #[must_use]
    pub fn read_only_len(&self, number: usize) -> usize {
        let slots = self.slots();
        kernel(|_| slots.read_only.get(number).map_or(0, |buffer| buffer.size.get() as usize))
    }

    /// Returns the size in bytes of the buffer `number` that the process has allowed for writing.
    #[must_use]
    pub fn read_write_len(&self, number: usize) -> usize {
        let slots = self.slots();
        kernel(|_| slots.read_write.get(number).map_or(0, |buffer| buffer.size.get() as usize))
    }

    /// Returns the address and the size of the buffer `number` for writing. The size is 0 if the
    /// process has allowed none. In a command of the process, which changes its buffers only by
    /// other calls.
    pub(super) fn read_write_range(&self, number: usize) -> (u32, u32) {
        let entry = &system().drivers[usize::from(self.driver)];
        let buffer = entry.read_write(self.process.index(), number);
        buffer.map_or((0, 0), |buffer| (buffer.address.get(), buffer.size.get()))
    }

    /// Returns the buffer `number` that the process reads while the driver writes. The process has
    /// allowed this buffer as userspace-readable.
    #[must_use]
    pub const fn readable(&self, number: usize) -> Readable {
        Readable::new(*self, number)
    }

    /// Copies from the buffer `number`, from `offset` on. Returns the number of copied bytes. From
    /// every context that the kernel knows of, in sections of 16 bytes. If the process runs between
    /// two sections, it may change the bytes that are not copied yet.
    pub fn read(&self, number: usize, offset: usize, to: &mut [u8]) -> usize {
        self.read_if(|| true, number, offset, to)
    }

    /// As [`read`](Self::read), but only in this life of the process.
    pub(super) fn read_in(self, life: Life, number: usize, offset: usize, to: &mut [u8]) -> usize {
        self.read_if(|| self.lives(life), number, offset, to)
    }

    fn read_if(
        &self,
        may: impl Fn() -> bool,
        number: usize,
        offset: usize,
        to: &mut [u8],
    ) -> usize {
        copy(self.slots().read_only.get(number), may, offset, to.len(), |from, at, count| {
            // SAFETY: the process's memory or flash, as was checked; `to` is elsewhere.
            unsafe { ptr::copy_nonoverlapping(from.cast_const(), to[at..].as_mut_ptr(), count) };
        })
    }

    /// Copies to the buffer `number`, from `offset` on. Returns the number of copied bytes.
    /// Contexts and sections as for [`read`](Self::read).
    pub fn write(&self, number: usize, offset: usize, bytes: &[u8]) -> usize {
        self.write_if(|| true, number, offset, bytes)
    }

    /// As [`write`](Self::write), but only in this life of the process.
    pub(super) fn write_in(self, life: Life, number: usize, offset: usize, bytes: &[u8]) -> usize {
        self.write_if(|| self.lives(life), number, offset, bytes)
    }

    fn write_if(
        &self,
        may: impl Fn() -> bool,
        number: usize,
        offset: usize,
        bytes: &[u8],
    ) -> usize {
        copy(self.slots().read_write.get(number), may, offset, bytes.len(), |to, at, count| {
            // SAFETY: the process's memory, as was checked; `bytes` are elsewhere.
            unsafe { ptr::copy_nonoverlapping(bytes[at..].as_ptr(), to, count) };
        })
    }

    /// Returns `true` if the process is still in this life: it has neither ended nor started again.
    pub(super) fn lives(&self, life: Life) -> bool {
        self.process.standing() == Status::Alive && self.life() == life
    }

    /// Returns the present life of the process.
    pub(super) const fn life(self) -> Life {
        self.process.restarts.get() as Life
    }

    /// Makes an upcall due: the process runs the function that it has subscribed by `number`, with
    /// three words, when it yields. From every context that the kernel knows of.
    ///
    /// # Errors
    /// [`ErrorCode::NoMemory`] if there is no room for another upcall: `upcalls` of
    /// [`processes!`](crate::processes) sets the room, 10 by default. [`ErrorCode::NoSupport`] if
    /// the driver has no such upcall.
    ///
    /// # Cost
    /// A section of the kernel's lock, or two if the process waits for the upcall.
    pub fn upcall(&self, number: usize, arguments: [u32; 3]) -> Result<(), ErrorCode> {
        self.upcall_in(|| true, number, arguments)
    }

    /// As [`upcall`](Self::upcall), if `may` returns `true` in the section that makes the upcall
    /// due.
    #[inline(always)]
    pub(super) fn upcall_in(
        self,
        may: impl Fn() -> bool,
        number: usize,
        arguments: [u32; 3],
    ) -> Result<(), ErrorCode> {
        let has_room = schedule(self.process, &self.due(number, arguments)?, may);
        if has_room { Ok(()) } else { Err(ErrorCode::NoMemory) }
    }

    /// Returns the upcall `number`, with three words.
    #[inline(always)]
    fn due(self, number: usize, arguments: [u32; 3]) -> Result<Due, ErrorCode> {
        let entry = &system().drivers[usize::from(self.driver)];
        let upcall = entry.upcall(self.process.index(), number).ok_or(ErrorCode::NoSupport)?;
        Ok(Due { upcall, arguments })
    }
}

/// Copies up to `wanted` bytes of a buffer, from `offset` on, as long as `may` returns `true`.
/// Copies one part in each section, as the process may take the buffer back between sections.
pub(super) fn copy(
    buffer: Option<&Buffer>,
    may: impl Fn() -> bool,
    offset: usize,
    wanted: usize,
    mut part: impl FnMut(*mut u8, usize, usize),
) -> usize {
    let Some(buffer) = buffer else { return 0 };
    let mut done = 0;
    while done < wanted {
        let copied = kernel(|_| {
            let size = if may() { buffer.size.get() as usize } else { 0 };
            let left = size.saturating_sub(offset).saturating_sub(done);
            let count = left.min(wanted - done).min(CHUNK);
            if count > 0 {
                let address = buffer.address.get() as usize + offset + done;
                part(ptr::with_exposed_provenance_mut(address), done, count);
            }
            count
        });
        if copied == 0 {
            break;
        }
        done += copied;
    }
    done
}
