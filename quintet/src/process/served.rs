//! A driver that a task, an actor or a thread serves. A command becomes a *request*, which is
//! posted to the server. The server answers by upcalls, at any later time.
//!
//! A request remembers the life of its process, by a number that wraps after 65,536 restarts. If
//! the process has ended or started again since, the request is *stale*: it reads nothing, writes
//! nothing, and its answer has no effect. So a server needs no code for processes that end and
//! restart.

use super::answer::{Answer, ErrorCode};
use super::client::{Client, Clients, Life, Slots};
use super::driver::Driver;
use super::system::system;

/// A request of a process to a server. 16 bytes, so that a request can be an actor's event.
///
/// ```
/// use quintet::process::Request;
///
/// /// Sorts the bytes of the process's buffer 0 into its other buffer 0, and tells their number.
/// fn sort(request: &Request) {
///     let mut bytes = [0; 64];
///     let count = request.read(0, 0, &mut bytes);
///     bytes[..count].sort_unstable();
///     // The process may have ended meanwhile: then this writes nothing.
///     let written = request.write(0, 0, &bytes[..count]);
///     let _no_room = request.answer(0, [written as u32, 0, 0]);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The place of the process.
    process: u8,
    /// The place of the driver.
    driver: u8,
    /// The life of the process.
    life: Life,
    /// The number of the command, from 1 on.
    pub command: u32,
    /// The arguments of the command.
    pub arguments: [u32; 2],
}

const _: () = assert!(size_of::<Request>() == 16);

impl Request {
    /// Returns the place of the process that has asked.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.process as usize
    }

    fn client(&self) -> Client {
        Client { process: &system().processes[self.index()], driver: self.driver }
    }

    /// Returns `true` if the process has ended or started again since the request. This may happen
    /// at any time, but not while a job that calls this runs, nor in a command.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        !self.client().lives(self.life)
    }

    /// Copies from the buffer `number` of the process that has asked, as [`Client::read`] does.
    /// Copies no bytes if the request is stale.
    pub fn read(&self, number: usize, offset: usize, to: &mut [u8]) -> usize {
        self.client().read_in(self.life, number, offset, to)
    }

    /// Copies to the buffer `number` of the process that has asked, as [`Client::write`] does.
    /// Copies no bytes if the request is stale.
    pub fn write(&self, number: usize, offset: usize, bytes: &[u8]) -> usize {
        self.client().write_in(self.life, number, offset, bytes)
    }

    /// Answers by the upcall `number`, as [`Client::upcall`] does. A server may answer more than
    /// once, or never. If the request is stale, nothing happens, and the result is `Ok`.
    ///
    /// # Errors
    /// Those of [`Client::upcall`].
    pub fn answer(&self, number: usize, arguments: [u32; 3]) -> Result<(), ErrorCode> {
        self.client().upcall_in(|| !self.is_stale(), number, arguments)
    }
}

/// A driver with this number for `N` processes, which other code serves. Each process has the given
/// numbers of upcalls, and of buffers to read from and to write to.
///
/// ```
/// use quintet::process::{Request, Served};
/// use quintet::sync::Channel;
///
/// static REQUESTS: Channel<Request, 4> = Channel::new();
///
/// /// Multiplies for up to 4 processes. Each has one upcall.
/// static MULTIPLIER: Served<0x8000_0003, 4, 1> =
///     Served::new(|request| REQUESTS.try_send(request).is_ok());
///
/// /// An async task. A thread calls `REQUESTS.receive().block(&cx.thread)`. For an actor, write
/// /// `Served::new(|request| app::multiplies::try_post(request).is_ok())`.
/// async fn multiplies() {
///     loop {
///         let request = REQUESTS.receive().await;
///         let [first, second] = request.arguments;
///         // Without room for another upcall, the process doesn't get this one.
///         let _no_room = request.answer(0, [first.wrapping_mul(second), 0, 0]);
///     }
/// }
/// ```
///
/// The server gets all commands except command 0, which asks whether the driver exists. A command
/// answers success, or BUSY if the server has no room.
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
    /// Makes the driver. `post` hands a request to the server, and returns `true` if there was
    /// room. `post` runs in SVCall, and must not wait.
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
    const PLACES: usize = N;

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
