//! The console: text out, bytes in. Tock's driver 1.
//!
//! [`print!`](crate::print) and [`println!`](crate::println) block until the kernel has taken the
//! text. Text of up to [`WRITE_MAX`] bytes goes out in one piece; text of other processes may come
//! between two pieces.
//!
//! The kernel has a buffer of your application for no longer than a call: futures write and read
//! through two buffers of this module. Programs that don't use these futures don't have these
//! buffers.

use core::fmt;

use crate::lend::{self, Buffer};
use crate::{ErrorCode, Operation, command};

/// The driver's number.
pub const DRIVER: u32 = 1;
/// The number of the driver's buffers, each way.
const BUFFER: u32 = 1;
/// Its commands.
const WRITE: u32 = 1;
const READ: u32 = 2;
const ABORT: u32 = 3;

/// The most bytes that go out in one piece.
pub const WRITE_MAX: usize = 128;
/// The most bytes that come in at once.
pub const READ_MAX: usize = 64;

static WRITTEN: Operation = Operation::new(DRIVER, 1);
static HAS_READ: Operation = Operation::new(DRIVER, 2);
static OUT: Buffer<WRITE_MAX> = Buffer::new();
static IN: Buffer<READ_MAX> = Buffer::new();

/// Writes all bytes.
///
/// If you drop the future, pieces that the kernel has taken go out whole, and the other pieces
/// don't.
///
/// # Errors
/// `NoDevice`: the kernel has no console, or the process may not use it. `Busy`: the console is in
/// use.
pub async fn write(bytes: &[u8]) -> Result<(), ErrorCode> {
    for piece in bytes.chunks(WRITE_MAX) {
        WRITTEN.run(|| begin_write(piece)).await?;
    }
    Ok(())
}

/// Writes all bytes, and blocks until the kernel has taken all of them.
///
/// # Errors
/// As [`write()`].
pub fn write_blocking(bytes: &[u8]) -> Result<(), ErrorCode> {
    for piece in bytes.chunks(WRITE_MAX) {
        WRITTEN.run_blocking(|| begin_write(piece))?;
    }
    Ok(())
}

fn begin_write(piece: &[u8]) -> Result<(), ErrorCode> {
    OUT.lend_read_only(DRIVER, BUFFER)?;
    OUT.copy_text_from(piece);
    command(DRIVER, WRITE, piece.len() as u32, 0).done()
}

/// Reads until `bytes` are full. Bytes that arrive while no read is under way are lost. So ask for
/// as many bytes as arrive together, up to [`READ_MAX`].
///
/// If you drop the future, the kernel stops reading, and the bytes that have arrived by then are
/// lost.
///
/// # Errors
/// `Busy`: another process reads, or this process reads by a future and blocking at the same time.
/// `NoDevice`: the kernel has no console, or the process may not use it. `Cancel`: the read was
/// ended.
pub async fn read(bytes: &mut [u8]) -> Result<(), ErrorCode> {
    for piece in bytes.chunks_mut(READ_MAX) {
        let size = piece.len();
        let begin = || {
            IN.lend_read_write(DRIVER, BUFFER)?;
            command(DRIVER, READ, size as u32, 0).done()
        };
        let [status, count, _] = HAS_READ.run_or(begin, abort).await?;
        came(status, count, size)?;
        IN.copy_to(piece);
    }
    Ok(())
}

/// Lets the kernel end a read: the upcall reports the end.
fn abort() {
    // Nothing is under way if it fails.
    let _not_reading = command(DRIVER, ABORT, 0, 0);
}

/// As [`read`], but blocks.
///
/// # Errors
/// As [`read`].
pub fn read_blocking(bytes: &mut [u8]) -> Result<(), ErrorCode> {
    if HAS_READ.is_taken() {
        return Err(ErrorCode::Busy);
    }
    for piece in bytes.chunks_mut(READ_MAX) {
        let size = piece.len();
        let [status, count, _] = lend::read_write(DRIVER, BUFFER, piece, || {
            HAS_READ.run_blocking(|| command(DRIVER, READ, size as u32, 0).done())
        })??;
        came(status, count, size)?;
    }
    Ok(())
}

/// Translates the upcall of a read.
const fn came(status: u32, count: u32, size: usize) -> Result<(), ErrorCode> {
    match status {
        0 if count as usize == size => Ok(()),
        0 => Err(ErrorCode::Size),
        error => Err(ErrorCode::of(error)),
    }
}

/// Writes text to the console, in pieces as large as possible. The rest goes out when you drop the
/// writer. Blocks.
#[derive(Debug)]
pub struct Writer {
    bytes: [u8; WRITE_MAX],
    count: usize,
}

impl Writer {
    /// Returns an empty writer.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: [0; WRITE_MAX], count: 0 }
    }

    /// Writes the collected text.
    ///
    /// # Errors
    /// As [`write()`]. The text is lost then.
    pub fn flush(&mut self) -> Result<(), ErrorCode> {
        let count = core::mem::take(&mut self.count);
        write_blocking(self.bytes.get(..count).unwrap_or_default())
    }

    /// Collects a text, as [`write_str`](fmt::Write::write_str) does. Needs no code that formats.
    ///
    /// # Errors
    /// As [`write()`]. Text that was collected is lost then.
    pub fn write_text(&mut self, text: &str) -> Result<(), ErrorCode> {
        for byte in text.bytes() {
            if let Some(free) = self.bytes.get_mut(self.count) {
                *free = byte;
                self.count += 1;
            }
            if self.count >= WRITE_MAX {
                self.flush()?;
            }
        }
        Ok(())
    }
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Write for Writer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.write_text(text).map_err(|_| fmt::Error)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Without a console there is nobody to tell.
        let _lost = self.flush();
    }
}

/// The macros call this function. Inlined, so that the compiler knows a text without arguments.
/// Then the code that formats isn't in the program.
#[doc(hidden)]
#[inline(always)]
pub fn print(text: fmt::Arguments<'_>) {
    match text.as_str() {
        Some(text) => print_text(text),
        None => print_formatted(text),
    }
}

#[inline(never)]
fn print_text(text: &str) {
    // Without a console there is nobody to tell.
    let _lost = write_blocking(text.as_bytes());
}

#[inline(never)]
fn print_formatted(text: fmt::Arguments<'_>) {
    // Without a console there is nobody to tell.
    let _lost = fmt::Write::write_fmt(&mut Writer::new(), text);
}

/// Prints to the [console](crate::console), as [`write!`] does. Blocks. Without a console, prints
/// nothing.
#[macro_export]
macro_rules! print {
    ($($argument:tt)*) => {
        $crate::console::print(::core::format_args!($($argument)*))
    };
}

/// Prints a line to the [console](crate::console), as [`writeln!`] does. Blocks. Without a console,
/// prints nothing.
#[macro_export]
macro_rules! println {
    () => {
        $crate::print!("\n")
    };
    ($format:literal $($argument:tt)*) => {
        $crate::print!("{}\n", ::core::format_args!($format $($argument)*))
    };
}
