//! Lending buffers to drivers.
//!
//! A driver may access a lent buffer at any time, even while your process runs. So a buffer must
//! outlive its loan, whatever your process does. There are two ways:
//!
//! - [`read_only`] and [`read_write`] lend a buffer while a closure runs. They return no value that
//!   you could forget. Afterwards they lend the buffer again that was lent before under the same
//!   number.
//! - A [`Buffer`] is a static that you lend for good. Futures need a `Buffer`: a forgotten future
//!   never takes a loan back, and memory that it had borrowed could belong to other code by then.

#![expect(unsafe_code, reason = "system calls, and memory that drivers write")]

use core::cell::{Cell, UnsafeCell};

use crate::ErrorCode;
use crate::system::{OneThread, call, class, life};

/// The buffer that was lent before, to be given back.
type Before = (usize, usize);

/// Inter-process communication maps lent buffers into other processes, which keep them.
const KEEPS: u32 = crate::ipc::DRIVER;

/// Lends a buffer for reading to a driver, under a number, while `body` runs.
///
/// # Errors
/// `NoDevice`: the driver doesn't exist, or the process may not use it. `NoSupport`: the driver has
/// no such number. `Invalid`: the buffer isn't in the flash of the process or in its memory below
/// the break. If there is an error, `body` has not run.
pub fn read_only<R>(
    driver: u32,
    number: u32,
    buffer: &[u8],
    body: impl FnOnce() -> R,
) -> Result<R, ErrorCode> {
    let place = (buffer.as_ptr().expose_provenance(), buffer.len());
    scope::<{ class::READ_ONLY }, R>(driver, number, place, body)
}

/// Lends a buffer for writing to a driver, under a number, while `body` runs.
///
/// # Errors
/// As [`read_only`], and `Invalid` for [inter-process communication](crate::ipc), as other
/// processes may write to a lent buffer even later: use [`shared!`](crate::shared) there.
pub fn read_write<R>(
    driver: u32,
    number: u32,
    buffer: &mut [u8],
    body: impl FnOnce() -> R,
) -> Result<R, ErrorCode> {
    if driver == KEEPS {
        return Err(ErrorCode::Invalid);
    }
    let place = (buffer.as_mut_ptr().expose_provenance(), buffer.len());
    scope::<{ class::READ_WRITE }, R>(driver, number, place, body)
}

/// A loan, for as long as a closure runs.
struct Loan<const CLASS: u8> {
    driver: u32,
    number: u32,
    before: Before,
}

impl<const CLASS: u8> Drop for Loan<CLASS> {
    fn drop(&mut self) {
        // SAFETY: what was lent before is still there: it belongs to a scope around this one, or
        // is a static.
        let _taken_back = unsafe { swap::<CLASS>(self.driver, self.number, self.before) };
    }
}

fn scope<const CLASS: u8, R>(
    driver: u32,
    number: u32,
    place: Before,
    body: impl FnOnce() -> R,
) -> Result<R, ErrorCode> {
    // SAFETY: the loan ends before the borrow of the buffer: this function alone has it.
    let before = unsafe { swap::<CLASS>(driver, number, place) }?;
    let _loan = Loan::<CLASS> { driver, number, before };
    Ok(body())
}

/// Lends a buffer, and returns the buffer that was lent under the number before.
///
/// # Safety
/// The driver may read the buffer, or write to it, until another buffer takes its place.
unsafe fn swap<const CLASS: u8>(
    driver: u32,
    number: u32,
    (address, length): Before,
) -> Result<Before, ErrorCode> {
    let arguments = [driver as usize, number as usize, address, length];
    // SAFETY: by the word of the caller.
    let [variant, first, second, _] = unsafe { call::<CLASS>(arguments) };
    // A refusal by permissions is of another kind than that of a number.
    if variant < 128 { Err(ErrorCode::of(first as u32)) } else { Ok((first, second)) }
}

/// A buffer that you lend for good: a static of `N` bytes, which a driver may access at any time.
///
/// You read and write the buffer by copying. Do so while the driver doesn't use the buffer: after
/// the upcall that ends an operation, and before the next command.
pub struct Buffer<const N: usize> {
    bytes: OneThread<UnsafeCell<[u8; N]>>,
    /// The life in which the buffer was lent last, and its use.
    lent: OneThread<Cell<(u32, Use)>>,
}

/// The class, the driver and the number by which a buffer is lent.
type Use = (u8, u32, u32);

impl<const N: usize> Buffer<N> {
    /// A buffer of zeros.
    #[must_use]
    pub const fn new() -> Self {
        let bytes = UnsafeCell::new([0; N]);
        Self { bytes: OneThread::new(bytes), lent: OneThread::new(Cell::new((0, (0, 0, 0)))) }
    }

    /// Lends the buffer for writing, unless it is lent already. Call this before each command that
    /// needs the buffer. Only the first call costs a system call.
    ///
    /// # Errors
    /// As [`read_only`], and `Already` if the buffer is lent to another driver, by another number,
    /// or for reading.
    pub fn lend_read_write(&'static self, driver: u32, number: u32) -> Result<(), ErrorCode> {
        self.lend::<{ class::READ_WRITE }>(driver, number)
    }

    /// Lends the buffer for reading, unless it is lent already.
    ///
    /// # Errors
    /// As [`read_only`], and `Already` if the buffer is lent to another driver, by another number,
    /// or for writing.
    pub fn lend_read_only(&'static self, driver: u32, number: u32) -> Result<(), ErrorCode> {
        self.lend::<{ class::READ_ONLY }>(driver, number)
    }

    fn lend<const CLASS: u8>(&'static self, driver: u32, number: u32) -> Result<(), ErrorCode> {
        if driver == KEEPS && CLASS == class::READ_WRITE {
            return Err(ErrorCode::Invalid);
        }
        let wanted = (CLASS, driver, number);
        match self.lent.get().get() {
            (when, lent) if when == life() && lent == wanted => return Ok(()),
            (when, _) if when == life() => return Err(ErrorCode::Already),
            _ => (),
        }
        let place = (self.bytes.get().get().cast::<u8>().expose_provenance(), N);
        // SAFETY: it is a static, and reached by copying alone.
        let _before = unsafe { swap::<CLASS>(driver, number, place) }?;
        self.lent.get().set((life(), wanted));
        Ok(())
    }

    /// Copies bytes from the beginning of the buffer, until either end. Returns the number of
    /// bytes.
    pub fn copy_to(&self, bytes: &mut [u8]) -> usize {
        let count = bytes.len().min(N);
        let own = self.bytes.get().get().cast::<u8>();
        // SAFETY: INVARIANT(one-thread), and it is as long. `bytes` can't be a part of it.
        unsafe { own.copy_to_nonoverlapping(bytes.as_mut_ptr(), count) };
        count
    }

    /// Copies bytes to the beginning of the buffer, until either end. Returns the number of bytes.
    pub fn copy_from(&self, bytes: &[u8]) -> usize {
        let count = bytes.len().min(N);
        let own = self.bytes.get().get().cast::<u8>();
        // SAFETY: INVARIANT(one-thread), and it is as long. `bytes` can't be a part of it.
        unsafe { own.copy_from_nonoverlapping(bytes.as_ptr(), count) };
        count
    }
}

impl<const N: usize> Buffer<N> {
    /// As [`copy_from`](Self::copy_from), byte by byte: slower, and without the library's function
    /// for copies, which is larger than many a program.
    pub(crate) fn copy_text_from(&self, bytes: &[u8]) {
        let own = self.bytes.get().get().cast::<u8>();
        for (index, byte) in bytes.iter().take(N).enumerate() {
            // SAFETY: INVARIANT(one-thread), and below its size. Volatile, as the compiler would
            // call that function.
            unsafe { own.add(index).write_volatile(*byte) };
        }
    }
}

impl<const N: usize> Default for Buffer<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> core::fmt::Debug for Buffer<N> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Buffer<{N}>")
    }
}
