//! Inter-process communication, Tock's driver 0x10000: processes notify each other, and share
//! memory.
//!
//! A *service* is a process that others find by its name, their *clients*. Each process is known to
//! the others by its place in the table, which it keeps when it starts anew.
//!
//! | call | what it does |
//! |---|---|
//! | allow read-only 0 | the name to look for |
//! | allow read-write `(which)` | the buffer that is shared with one process |
//! | subscribe `(which)` | the upcall: who notifies, the buffer's size and address, or 0 and 0 |
//! | command 1 | answers which process has that name: NODEVICE if none |
//! | command 2 `(which)` | notifies a service: the upcall that it has subscribed by its own place |
//! | command 3 `(which)` | notifies a client: the upcall that it has subscribed by the caller's |
//!
//! A process that isn't there is INVAL, one that has ended NODEVICE, and NOMEM says that it has so
//! many upcalls due. To notify oneself succeeds, and nothing comes of it. A notice waits until the
//! process yields, also one that came before the process has subscribed.
//!
//! The buffer can be read and written by the one that is notified, from when the upcall tells of
//! it. A region of the protection unit must cover it alone. On ARMv7-M its size is a power of two,
//! 32 bytes or more, and its address a multiple of that; on ARMv8-M both are multiples of 32. With
//! any other one shared, notifying is INVAL.

use super::window::can_show;
use super::{Answer, Client, Clients, Driver, ErrorCode, Process, Slots, Status};
use crate::process::system::system;

/// How much of a name is compared at a time, in bytes.
const PART: usize = 16;

/// Inter-process communication for `N` processes. It keeps 16 bytes for each pair of them.
pub struct Ipc<const N: usize> {
    clients: Clients<N, (), N, 1, N>,
}

debug_by_name!([const N: usize] Ipc<N>: "Ipc");

impl<const N: usize> Ipc<N> {
    /// Inter-process communication.
    #[must_use]
    pub const fn new() -> Self {
        Self { clients: Clients::new([(); N]) }
    }

    /// The process that `client` names, among those that there are.
    fn discover(client: Client) -> Answer {
        let found = processes().position(|process| is_named(client, process.name().as_bytes()));
        found.map_or(Answer::Failure(ErrorCode::NoDevice), |which| Answer::Word(which as u32))
    }

    /// Notifies the process at a place, by the upcall that is that of `number`.
    fn notify(client: Client, which: u32, number: usize) -> Answer {
        let Some(receiver) = processes().nth(which as usize) else {
            return Answer::Failure(ErrorCode::Invalid);
        };
        if receiver.index() == client.index() {
            return Answer::Success;
        }
        if receiver.status() != Status::Alive {
            return Answer::Failure(ErrorCode::NoDevice);
        }
        let (address, size) = client.read_write_range(receiver.index());
        if !can_show(address, size) {
            return Answer::Failure(ErrorCode::Invalid);
        }
        receiver.expect_notices(client.driver);
        // Which buffer it is is looked up when the upcall comes: by then it may be another one.
        let from = client.index() as u32;
        let to = Client { process: receiver, driver: client.driver };
        to.notify(number, from).into()
    }
}

impl<const N: usize> Default for Ipc<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// The processes that have an application, which are the first.
fn processes() -> impl Iterator<Item = &'static Process> {
    system().processes().iter().take_while(|process| process.status() != Status::Empty)
}

/// Whether the name that a process looks for is this one. None has no name.
fn is_named(client: Client, name: &[u8]) -> bool {
    let mut part = [0; PART];
    let same = name.chunks(PART).enumerate().all(|(index, wanted)| {
        let count = client.read(0, index * PART, &mut part);
        part[..count].starts_with(wanted)
    });
    same && !name.is_empty() && client.read_only_len(0) == name.len()
}

impl<const N: usize> Driver for Ipc<N> {
    const NUMBER: u32 = 0x1_0000;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, _: u32) -> Answer {
        match command {
            1 => Self::discover(client),
            2 => Self::notify(client, first, first as usize),
            3 => Self::notify(client, first, client.index()),
            _ => Answer::Failure(ErrorCode::NoSupport),
        }
    }

    fn forget(&'static self, client: Client) {
        client.process().close_windows();
    }
}
