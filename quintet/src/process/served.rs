//! A driver that a task, an actor or a thread serves: a command becomes a *request*, which is
//! posted to the server, and the server answers by upcalls, when it comes to it.
//!
//! A request remembers the life of its process, by a number that begins anew behind 65,536
//! restarts. If the process has ended since, or started anew,
//! the request is *stale*: it reads nothing, writes nothing, and its answer goes nowhere. So a
//! server needs to know nothing of processes that come and go.

use super::answer::{Answer, ErrorCode};
use super::client::{Client, Clients, Life, Slots};
use super::driver::Driver;
use super::system::system;

/// What a process has asked of a server. 16 bytes, so that it may be an actor's event.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The place of the process.
    process: u8,
    /// That of the driver.
    driver: u8,
    /// Which life of the process this is.
    life: Life,
    /// The number of the command, from 1 on.
    pub command: u32,
    /// Its arguments.
    pub arguments: [u32; 2],
}

const _: () = assert!(size_of::<Request>() == 16);

impl Request {
    /// The place of the process that has asked.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.process as usize
    }

    fn client(&self) -> Client {
        Client { process: &system().processes[self.index()], driver: self.driver }
    }

    /// Whether the process has ended or started anew since it asked. It may at any time, but not
    /// while a job that asks this runs, nor in a command.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        !self.client().lives(self.life)
    }

    /// Copies from the buffer `number` of the process that has asked, as [`Client::read`] does.
    /// None if the request is stale.
    pub fn read(&self, number: usize, offset: usize, to: &mut [u8]) -> usize {
        self.client().read_in(self.life, number, offset, to)
    }

    /// Copies to the buffer `number` of the process that has asked, as [`Client::write`] does. None
    /// if the request is stale.
    pub fn write(&self, number: usize, offset: usize, bytes: &[u8]) -> usize {
        self.client().write_in(self.life, number, offset, bytes)
    }

    /// Answers by the upcall `number`, as [`Client::upcall`] does. A server may do so more than
    /// once, or never. If the request is stale nothing happens, and that is no error.
    ///
    /// # Errors
    /// Those of [`Client::upcall`].
    pub fn answer(&self, number: usize, arguments: [u32; 3]) -> Result<(), ErrorCode> {
        self.client().upcall_in(|| !self.is_stale(), number, arguments)
    }
}

/// A driver for `N` processes with this number, which somebody else serves; with so many upcalls,
/// and buffers to read from and to write to, for each process.
///
/// ```text
/// static REQUESTS: Channel<Request, 4> = Channel::new();
/// static LOOKUP: Served<0x8000_0002, 4, 1> =
///     Served::new(|request| REQUESTS.try_send(request).is_ok());
/// // A task: `REQUESTS.receive().await`; a thread: `REQUESTS.receive().block(&cx.thread)`. For an
/// // actor that takes requests: `Served::new(|request| app::serves::try_post(request).is_ok())`.
/// ```
///
/// Commands other than 0, which says that the driver is there, are handed on as they are. They
/// answer success, or BUSY if the server has no room.
pub struct Served<
    const NUMBER: u32,
    const N: usize,
    const UPCALLS: usize,
    const READ_ONLY: usize = 0,
    const READ_WRITE: usize = 0,
> {
    clients: Clients<N, (), UPCALLS, READ_ONLY, READ_WRITE>,
    post: fn(Request) -> bool,
}

debug_by_name!(
    [
        const NUMBER: u32, const N: usize, const UPCALLS: usize, const READ_ONLY: usize,
        const READ_WRITE: usize
    ]
    Served<NUMBER, N, UPCALLS, READ_ONLY, READ_WRITE>: "Served"
);

impl<
    const NUMBER: u32,
    const N: usize,
    const UPCALLS: usize,
    const READ_ONLY: usize,
    const READ_WRITE: usize,
> Served<NUMBER, N, UPCALLS, READ_ONLY, READ_WRITE>
{
    /// The driver. `post` hands a request to the server, and says whether there was room. It is
    /// called in SVCall, and must not wait.
    #[must_use]
    pub const fn new(post: fn(Request) -> bool) -> Self {
        Self { clients: Clients::new([(); N]), post }
    }
}

impl<
    const NUMBER: u32,
    const N: usize,
    const UPCALLS: usize,
    const READ_ONLY: usize,
    const READ_WRITE: usize,
> Driver for Served<NUMBER, N, UPCALLS, READ_ONLY, READ_WRITE>
{
    const NUMBER: u32 = NUMBER;

    fn slots(&'static self, process: usize) -> Slots {
        self.clients.slots(process)
    }

    fn command(&'static self, client: Client, command: u32, first: u32, second: u32) -> Answer {
        let request = Request {
            process: client.index() as u8,
            driver: client.driver,
            life: client.life(),
            command,
            arguments: [first, second],
        };
        if (self.post)(request) { Answer::Success } else { Answer::Failure(ErrorCode::Busy) }
    }
}
