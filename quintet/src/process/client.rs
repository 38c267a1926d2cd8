//! What a driver keeps for each process: upcalls, buffers that it was allowed, and a state of its
//! own.

#![expect(unsafe_code, reason = "the memory of processes is copied from and to")]

use ::core::cell::Cell;
use ::core::ptr;

use super::ErrorCode;
use super::readable::Readable;
use super::record::{Process, Status};
use super::system::system;
use super::upcall::{Due, Upcall, schedule, schedule_notice};
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;

/// How many bytes of a process's memory are copied in one section of the kernel's lock.
const CHUNK: usize = 16;

/// How often a process has started anew, as far as it matters for who remembers it.
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
    /// Of nothing.
    const fn none() -> Self {
        Self { address: Cell::new(0), size: Cell::new(0) }
    }
}

/// What a driver keeps for all processes: `N` are there, each with a state `T`, and with so many
/// upcalls, buffers to read from and to write to, and buffers which the process reads while the
/// driver writes. A field of the driver.
pub struct Clients<
    const N: usize,
    T,
    const UPCALLS: usize = 0,
    const READ_ONLY: usize = 0,
    const READ_WRITE: usize = 0,
    const READABLE: usize = 0,
> {
    /// Those that the driver works for, beyond a command.
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
    /// With a state for each process.
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

    /// What a process has there.
    pub fn slots(&'static self, process: usize) -> Slots {
        Slots {
            upcalls: self.upcalls.get(process).map_or(&[], |all| all.as_slice()),
            read_only: self.read_only.get(process).map_or(&[], |all| all.as_slice()),
            read_write: self.read_write.get(process).map_or(&[], |all| all.as_slice()),
            readable: self.readable.get(process).map_or(&[], |all| all.as_slice()),
        }
    }

    /// Notes that something was begun for a process, which [`noted`](Self::noted) then has. For a
    /// command, or where another one of its ends.
    pub fn note(&self, client: Client) {
        kernel(|lock| self.known[client.index()].get(lock).set(Some(client)));
    }

    /// Notes that nothing is begun for a process any more. Whether something was.
    pub fn drop_note(&self, client: Client) -> bool {
        kernel(|lock| self.known[client.index()].get(lock).take()).is_some()
    }

    /// The processes for which something was begun, by their places, the lowest first. From every
    /// context that the kernel knows of; a section of the kernel's lock for each.
    pub fn noted(&self) -> impl Iterator<Item = Client> {
        self.known.iter().filter_map(|known| kernel(|lock| known.get(lock).get()))
    }

    /// The state for a process.
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

/// What a driver keeps for a process.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    pub(super) upcalls: &'static [Upcall],
    pub(super) read_only: &'static [Buffer],
    pub(super) read_write: &'static [Buffer],
    pub(super) readable: &'static [Buffer],
}

impl Slots {
    /// Nothing is kept.
    pub const NONE: Self = Self { upcalls: &[], read_only: &[], read_write: &[], readable: &[] };
}

/// A process as a driver sees it: who has called, or for whom it works.
///
/// It stays valid when the process ends or starts anew: then its buffers are of no bytes, and
/// upcalls go nowhere.
#[derive(Clone, Copy)]
pub struct Client {
    pub(super) process: &'static Process,
    pub(super) driver: u8,
}

debug_by_name!([] Client: "Client");

// SAFETY: what it leads to is touched under the kernel's lock.
unsafe impl Send for Client {}
// SAFETY: the same.
unsafe impl Sync for Client {}

impl Client {
    /// The process.
    #[must_use]
    pub const fn process(&self) -> &'static Process {
        self.process
    }

    /// Its place in the table of processes, which is that of its state.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.process.index()
    }

    pub(super) fn slots(&self) -> Slots {
        system().slots(self.driver, self.process.index())
    }

    /// How many bytes of the buffer `number`, to read from, it has allowed.
    #[must_use]
    pub fn read_only_len(&self, number: usize) -> usize {
        let slots = self.slots();
        kernel(|_| slots.read_only.get(number).map_or(0, |buffer| buffer.size.get() as usize))
    }

    /// How many bytes of the buffer `number`, to write to, it has allowed.
    #[must_use]
    pub fn read_write_len(&self, number: usize) -> usize {
        let slots = self.slots();
        kernel(|_| slots.read_write.get(number).map_or(0, |buffer| buffer.size.get() as usize))
    }

    /// Where the buffer `number`, to write to, is, and its size, of 0 if it has allowed none.
    pub(super) fn read_write_range(&self, number: usize) -> (u32, u32) {
        let slots = self.slots();
        let buffer = slots.read_write.get(number);
        kernel(|_| buffer.map_or((0, 0), |buffer| (buffer.address.get(), buffer.size.get())))
    }

    /// The buffer `number` that it reads while the driver writes there: one that it has allowed as
    /// userspace-readable.
    #[must_use]
    pub const fn readable(&self, number: usize) -> Readable {
        Readable::new(*self, number)
    }

    /// Copies from the buffer `number`, from `offset` on. How many bytes there were; from every
    /// context that the kernel knows of, in sections of 16 bytes. A process that runs in between
    /// may have changed what comes behind.
    pub fn read(&self, number: usize, offset: usize, to: &mut [u8]) -> usize {
        self.read_if(|| true, number, offset, to)
    }

    /// The same in this life of the process alone.
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

    /// Copies to the buffer `number`, from `offset` on. How many bytes had room; contexts and
    /// sections as for [`read`](Self::read).
    pub fn write(&self, number: usize, offset: usize, bytes: &[u8]) -> usize {
        self.write_if(|| true, number, offset, bytes)
    }

    /// The same in this life of the process alone.
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

    /// Whether the process is in this life still: it has neither ended nor started anew.
    pub(super) fn lives(&self, life: Life) -> bool {
        self.process.standing() == Status::Alive && self.life() == life
    }

    /// Which life of the process this is.
    pub(super) const fn life(self) -> Life {
        self.process.restarts.get() as Life
    }

    /// Lets the process run the function that it has subscribed by `number`, with three words, when
    /// it yields. From every context that the kernel knows of.
    ///
    /// # Errors
    /// [`ErrorCode::NoMemory`] if as many are due as there is room for: `upcalls` of
    /// [`processes!`](crate::processes), 10 if that says nothing;
    /// [`ErrorCode::NoSupport`] if the driver has no such upcall.
    ///
    /// # Cost
    /// A section of the kernel's lock; where the process waits for it, two.
    pub fn upcall(&self, number: usize, arguments: [u32; 3]) -> Result<(), ErrorCode> {
        self.upcall_in(|| true, number, arguments)
    }

    /// The same as long as it `may`, which is asked in the section in which it becomes due.
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

    /// The same of a notice, which tells of a buffer of the process at the place `from`.
    pub(super) fn notify(self, number: usize, from: u32) -> Result<(), ErrorCode> {
        let has_room = schedule_notice(self.process, &self.due(number, [from, 0, 0])?);
        if has_room { Ok(()) } else { Err(ErrorCode::NoMemory) }
    }

    /// The upcall with this number, with three words.
    #[inline(always)]
    fn due(self, number: usize, arguments: [u32; 3]) -> Result<Due, ErrorCode> {
        let entry = &system().drivers[usize::from(self.driver)];
        let upcall = entry.upcall(self.process.index(), number).ok_or(ErrorCode::NoSupport)?;
        Ok(Due { upcall, arguments })
    }
}

/// Copies up to `wanted` bytes of a buffer from `offset` on, as long as it `may`, by parts, each in
/// a section, as the process may take the buffer back in between.
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
