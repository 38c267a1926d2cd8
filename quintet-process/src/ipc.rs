//! Communication between processes. Tock's driver 0x10000.
//!
//! A process finds another process by the name of its application. A client shares a buffer with a
//! service and notifies the service; the service reads and writes the buffer, and notifies the
//! client back:
//!
//! ```text
//!  client                                service
//!  discover("adder")
//!  share(&BUFFER), write to it
//!  notify ─────────────────────────────> next().await: a request, with the shared bytes
//!  reply().await <────────────────────── request.notify()
//! ```
//!
//! ```no_run
//! use quintet_process::ErrorCode;
//! use quintet_process::ipc::{Service, Server};
//!
//! quintet_process::shared!(static NUMBERS: 32);
//!
//! async fn ask() -> Result<u8, ErrorCode> {
//!     let adder = Service::discover("adder")?;
//!     adder.share(&NUMBERS)?;
//!     NUMBERS.write(0, &[2, 3]);
//!     let reply = adder.reply();
//!     adder.notify()?;
//!     reply.await?;
//!     let mut sum = [0];
//!     NUMBERS.read(0, &mut sum);
//!     Ok(sum[0])
//! }
//!
//! async fn serve() -> Result<(), ErrorCode> {
//!     let server = Server::named("adder")?;
//!     loop {
//!         let request = server.next().await?;
//!         let mut bytes = [0; 2];
//!         request.read(0, &mut bytes);
//!         request.write(0, &[bytes[0].wrapping_add(bytes[1])]);
//!         request.notify()?;
//!     }
//! }
//! ```
//!
//! The other process may read and write a shared buffer at any time from its first notice on, as
//! long as your process lives. Therefore a shared buffer is a static, which you read and write by
//! copying. Expect any bytes from another process.

#![expect(unsafe_code, reason = "memory that other processes write")]

use core::cell::UnsafeCell;

use crate::system::{OneThread, call, class};
use crate::upcall::Next;
use crate::{ErrorCode, Upcall, command, lend};

/// The driver's number.
pub const DRIVER: u32 = 0x1_0000;
/// Its commands.
const DISCOVER: u32 = 1;
const NOTIFY_SERVICE: u32 = 2;
const NOTIFY_CLIENT: u32 = 3;
/// The number of the buffer with the name of the process to find.
const NAME: u32 = 0;

/// The most processes that this module can serve.
const COUNT: usize = 16;

/// The notices from each service, or for this process as a service.
static NOTICES: [Upcall; COUNT] = {
    const fn of(index: u32) -> Upcall {
        Upcall::new(DRIVER, index)
    }
    [
        of(0),
        of(1),
        of(2),
        of(3),
        of(4),
        of(5),
        of(6),
        of(7),
        of(8),
        of(9),
        of(10),
        of(11),
        of(12),
        of(13),
        of(14),
        of(15),
    ]
};

/// Returns the place of the process with this application's name.
fn find(name: &str) -> Result<u32, ErrorCode> {
    let index =
        lend::read_only(DRIVER, NAME, name.as_bytes(), || command(DRIVER, DISCOVER, 0, 0).word())??;
    if index as usize >= COUNT {
        return Err(ErrorCode::NoSupport);
    }
    Ok(index)
}

/// The bytes of a shared buffer. You make a shared buffer with [`shared!`](crate::shared).
pub struct Shared<const N: usize>(OneThread<UnsafeCell<[u8; N]>>);

impl<const N: usize> Shared<N> {
    /// Returns a buffer of zeros. Use [`shared!`](crate::shared) instead, which aligns the buffer
    /// for the protection unit.
    #[doc(hidden)]
    #[must_use]
    pub const fn new() -> Self {
        assert!(N.is_power_of_two() && N >= 32, "a shared buffer has 32 bytes, or 64, or 128, ...");
        Self(OneThread::new(UnsafeCell::new([0; N])))
    }

    /// Copies bytes out of the buffer, from `offset` on, until either end. Returns the number of
    /// bytes.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> usize {
        read(self.address(), N, offset, bytes)
    }

    /// Copies bytes into the buffer, from `offset` on, until either end. Returns the number of
    /// bytes.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> usize {
        write(self.address(), N, offset, bytes)
    }

    fn address(&self) -> *mut u8 {
        self.0.get().get().cast()
    }
}

impl<const N: usize> Default for Shared<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> core::fmt::Debug for Shared<N> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Shared<{N}>")
    }
}

/// Copies from a shared buffer of `size` bytes. Copies byte by byte, as other processes may write
/// in the meantime.
fn read(from: *const u8, size: usize, offset: usize, bytes: &mut [u8]) -> usize {
    let count = size.saturating_sub(offset).min(bytes.len());
    for (place, byte) in bytes[..count].iter_mut().enumerate() {
        // SAFETY: it lies within the buffer.
        *byte = unsafe { from.add(offset + place).read_volatile() };
    }
    count
}

/// Copies to a shared buffer.
fn write(to: *mut u8, size: usize, offset: usize, bytes: &[u8]) -> usize {
    let count = size.saturating_sub(offset).min(bytes.len());
    for (place, byte) in bytes[..count].iter().enumerate() {
        // SAFETY: it lies within the buffer.
        unsafe { to.add(offset + place).write_volatile(*byte) };
    }
    count
}

/// Defines a buffer that you share with another process: `shared!(static NAME: BYTES)`. `BYTES` is
/// a power of two, at least 32. The buffer begins at a multiple of `BYTES`, so that a region of the
/// protection unit covers only the buffer. The static is an [`ipc::Shared`](crate::ipc::Shared).
#[macro_export]
macro_rules! shared {
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $bytes:literal) => {
        $(#[$attribute])*
        $visibility static $name: &$crate::ipc::Shared<$bytes> = {
            #[repr(align($bytes))]
            struct Aligned($crate::ipc::Shared<$bytes>);
            static ALIGNED: Aligned = Aligned($crate::ipc::Shared::new());
            &ALIGNED.0
        };
    };
}

/// A process that serves other processes, from the view of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service(u32);

impl Service {
    /// Returns the process of the application with this name.
    ///
    /// # Errors
    /// `NoDevice`: there is no such process, or processes can't communicate. The process may be
    /// loaded and not run.
    pub fn discover(name: &str) -> Result<Self, ErrorCode> {
        find(name).map(Self)
    }

    /// Shares a buffer with the service, in place of the buffer before. The service may read and
    /// write the buffer from the next notice on.
    ///
    /// # Errors
    /// `NoSupport`: the kernel doesn't support buffers for so many processes.
    pub fn share<const N: usize>(self, buffer: &'static Shared<N>) -> Result<(), ErrorCode> {
        let address = buffer.address().expose_provenance();
        let arguments = [DRIVER as usize, self.0 as usize, address, N];
        // SAFETY: a static that is read and written as one that others write.
        let [variant, first, ..] = unsafe { call::<{ class::READ_WRITE }>(arguments) };
        if variant < 128 { Err(ErrorCode::of(first as u32)) } else { Ok(()) }
    }

    /// Notifies the service.
    ///
    /// # Errors
    /// `NoMemory`: the service has ten upcalls due. `NoDevice`: the service has ended.
    pub fn notify(self) -> Result<(), ErrorCode> {
        command(DRIVER, NOTIFY_SERVICE, self.0, 0).done()
    }

    /// Returns a future that is ready at the next notice of the service after this call. So call
    /// this before [`notify`](Self::notify), and await the future afterwards. Cancel safe.
    pub fn reply(self) -> Next {
        NOTICES[self.0 as usize].next()
    }

    /// Blocks until the service notifies your process.
    pub fn reply_blocking(self) {
        NOTICES[self.0 as usize].wait();
    }
}

/// Your process, as a service for other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server(u32);

impl Server {
    /// Returns the service of this process, whose application has this name.
    ///
    /// # Errors
    /// `NoDevice`: this process has another name, or processes can't communicate.
    pub fn named(name: &str) -> Result<Self, ErrorCode> {
        let server = Self(find(name)?);
        NOTICES[server.0 as usize].listen()?;
        Ok(server)
    }

    /// Waits for a client to notify. Notices that arrive while your process does other things in an
    /// `async fn` are lost. Up to ten notices that arrive while your process blocks are kept.
    ///
    /// Cancel safe.
    ///
    /// # Errors
    /// `NoDevice`: the process may not communicate.
    pub async fn next(self) -> Result<Request, ErrorCode> {
        NOTICES[self.0 as usize].next().await.map(Request)
    }

    /// Blocks until a client notifies.
    pub fn next_blocking(self) -> Request {
        Request(NOTICES[self.0 as usize].wait())
    }
}

/// A notice of a client, with the buffer that the client shares: the client's index, a length and
/// an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request([u32; 3]);

impl Request {
    /// Returns the client's place among processes, which is the same in each of the client's lives.
    #[must_use]
    pub const fn client(&self) -> u32 {
        self.0[0]
    }

    /// Returns how many bytes the client shares: 0 if it shares none.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0[1] as usize
    }

    /// Returns `true` if the client shares no bytes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies bytes out of the client's buffer, from `offset` on, until either end. Returns the
    /// number of bytes.
    ///
    /// A client that restarts, or shares another buffer, may take the buffer away. If the kernel
    /// has taken the region away, your process faults here.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> usize {
        read(self.address(), self.len(), offset, bytes)
    }

    /// Copies bytes into the client's buffer, from `offset` on, until either end. Returns the
    /// number of bytes.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> usize {
        write(self.address(), self.len(), offset, bytes)
    }

    /// Memory of another process: this module has no reference to this memory.
    fn address(&self) -> *mut u8 {
        core::ptr::with_exposed_provenance_mut(self.0[2] as usize)
    }

    /// Notifies the client.
    ///
    /// # Errors
    /// `NoMemory`: the client has ten upcalls due. `NoDevice`: the client has ended.
    pub fn notify(&self) -> Result<(), ErrorCode> {
        command(DRIVER, NOTIFY_CLIENT, self.0[0], 0).done()
    }
}
