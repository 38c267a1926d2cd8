//! Inter-process communication, Tock's driver 0x10000: processes notify each other, and share
//! memory.
//!
//! A *service* is a process that other processes, the service's *clients*, find by its name. A
//! process is known to others by its place in the table, which it keeps when it starts again.
//!
//! | call | effect |
//! |---|---|
//! | allow read-only 0 | the name to look for |
//! | allow read-write `(which)` | the buffer that is shared with one process |
//! | subscribe `(which)` | the upcall: the notifier, the buffer's size and address, or 0 and 0 |
//! | command 1 | answers the place of the process with that name: NODEVICE if none |
//! | command 2 `(which)` | notifies a service: the upcall subscribed by its own place |
//! | command 3 `(which)` | notifies a client: the upcall subscribed by the caller's place |
//!
//! The error is INVAL if there is no such process, and NODEVICE if the process has ended. A process
//! can notify itself, without any effect. A notice waits until the process yields, even if the
//! notice came before the process has subscribed. While a notice waits, further ones of the same
//! kind from the same process are one with it. Notices take no room of other upcalls.
//!
//! The notified process can read and write the buffer from the time of the upcall on. A region of
//! the protection unit must cover exactly the buffer. On ARMv7-M the buffer's size must be a power
//! of two, 32 bytes or more, and its address a multiple of the size. On ARMv8-M both must be
//! multiples of 32. The buffer doesn't begin where the memory of its process begins. With any other
//! shared buffer, the error is INVAL.

use super::load::NAME_MAX;
use super::notice::{self, Kind};
use super::{Answer, Client, Clients, Driver, ErrorCode, Process, Slots, Status};
use crate::process::system::system;

/// The number of bytes of a name that are compared at a time.
const PART: usize = 16;
/// More than a name has of these parts.
const PARTS: u32 = 8;
const _: () = assert!(NAME_MAX < PARTS as usize * PART);

/// Inter-process communication for `N` processes. Takes 16 bytes for each pair of processes.
///
/// ```
/// use quintet::process::ipc::Ipc;
///
/// /// One of the `drivers` of `processes!`. The driver does the rest.
/// static IPC: Ipc<4> = Ipc::new();
/// ```
pub struct Ipc<const N: usize> {
    clients: Clients<N, (), N, 1, N>,
}

debug_by_name!([const N: usize] Ipc<N>: "Ipc");

impl<const N: usize> Ipc<N> {
    /// Makes the driver.
    #[must_use]
    pub const fn new() -> Self {
        Self { clients: Clients::new([(); N]) }
    }

    /// Returns the process that `client` names. Compares a part of a name at a time.
    fn discover(client: Client) -> Answer {
        let progress = &client.process().progress;
        let (which, part) = (progress.get() / PARTS, progress.replace(0) % PARTS);
        let length = client.read_only_len(0);
        let mut processes = system().processes().iter().skip(which as usize);
        let has_length = |process: &&Process| length > 0 && process.name().len() == length;
        let Some(process) = processes.find(has_length) else {
            return Answer::Failure(ErrorCode::NoDevice);
        };
        let index = process.index() as u32;
        // The part is of the name of the process at `which`.
        let part = if index == which { part } else { 0 };
        let rest = process.name().as_bytes().get(part as usize * PART..).unwrap_or_default();
        let wanted = &rest[..rest.len().min(PART)];
        let mut bytes = [0; PART];
        let count = client.read(0, part as usize * PART, &mut bytes);
        let is_same = bytes[..count].starts_with(wanted);
        if is_same && wanted.len() == rest.len() {
            return Answer::Word(index);
        }
        progress.set(if is_same { index * PARTS + part + 1 } else { (index + 1) * PARTS });
        Answer::Again
    }
}

impl<const N: usize> Default for Ipc<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Notifies the process at the place `which`, in a command of `sender`. One copy for any number of
/// processes.
#[inline(never)]
fn notify(sender: Client, which: u32, kind: Kind) -> Result<(), ErrorCode> {
    let receiver = system().processes().get(which as usize);
    let receiver = receiver.filter(|process| process.standing() != Status::Empty);
    let receiver = receiver.ok_or(ErrorCode::Invalid)?;
    if receiver.index() == sender.index() {
        return Ok(());
    }
    if receiver.standing() != Status::Alive {
        return Err(ErrorCode::NoDevice);
    }
    let (address, size) = sender.read_write_range(receiver.index());
    if !sender.process().can_share(address, size) {
        return Err(ErrorCode::Invalid);
    }
    // If the notice waits, its buffer is looked up when the notice goes: by then the process may
    // have allowed another one.
    notice::notify(receiver, sender, (address, size), kind);
    Ok(())
}

impl<const N: usize> Driver for Ipc<N> {
    const NUMBER: u32 = 0x1_0000;
    const PLACES: usize = N;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, _: u32) -> Answer {
        match command {
            1 => Self::discover(client),
            2 => notify(client, first, Kind::Request).into(),
            3 => notify(client, first, Kind::Reply).into(),
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }
}
