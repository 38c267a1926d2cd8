//! Userspace-readable buffers: the process reads such a buffer while a driver writes to it.
//!
//! A process that has allowed such a buffer continues to read it, and must not write to it. The
//! driver writes whenever there is something new, and the process finds the new value without a
//! call: a clock, a counter, the last sample.

#![expect(unsafe_code, reason = "the memory of processes is copied from and to")]

use ::core::ptr;

use super::client::{Buffer, Client, copy};
use crate::core::lock::kernel;

/// The size of a word, in bytes.
const WORD: usize = size_of::<u32>();

/// A userspace-readable buffer of a process, from [`Client::readable`].
///
/// The buffer has no bytes before the process allows it. A process may at any time allow another
/// buffer, or none, by this number, end, or start again: from then on, the buffer has no bytes.
/// From every context that the kernel knows of.
///
/// ```
/// use quintet::process::Client;
///
/// /// Shows a process the latest position. The process reads both words without a call. It reads
/// /// again until the counts before and behind them are equal.
/// fn show(client: Client, count: u32, [x, y]: [u32; 2]) -> bool {
///     let buffer = client.readable(0);
///     buffer.store(0, count) && buffer.store(1, x) && buffer.store(2, y) && buffer.store(3, count)
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Readable {
    client: Client,
    number: usize,
}

debug_by_name!([] Readable: "Readable");

impl Readable {
    pub(super) const fn new(client: Client, number: usize) -> Self {
        Self { client, number }
    }

    fn buffer(&self) -> Option<&'static Buffer> {
        self.client.slots().readable.get(self.number)
    }

    /// Returns the size of the buffer in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.buffer().map_or(0, |buffer| kernel(|_| buffer.size.get() as usize))
    }

    /// Returns `true` if the buffer has no bytes: the process has allowed none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies to the buffer, from `offset` on, in sections of 16 bytes. Returns the number of
    /// copied bytes. A process that reads between two sections finds old bytes beside new ones. If
    /// the process must find a value as a whole, [store](Self::store) the value.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> usize {
        copy(
            self.buffer(),
            || true,
            offset,
            bytes.len(),
            |to, at, count| {
                // SAFETY: the process's memory, as was checked; `bytes` are elsewhere.
                unsafe { ptr::copy_nonoverlapping(bytes[at..].as_ptr(), to, count) };
            },
        )
    }

    /// Copies from the buffer, from `offset` on, in sections of 16 bytes. Returns the number of
    /// copied bytes.
    ///
    /// The process can write there too, against the rules. So a driver keeps values that it depends
    /// on in its own state.
    pub fn read(&self, offset: usize, to: &mut [u8]) -> usize {
        copy(
            self.buffer(),
            || true,
            offset,
            to.len(),
            |from, at, count| {
                // SAFETY: the process's memory, as was checked; `to` is elsewhere.
                unsafe {
                    ptr::copy_nonoverlapping(from.cast_const(), to[at..].as_mut_ptr(), count);
                };
            },
        )
    }

    /// Stores a word at an index, counted in words. If the buffer begins at a multiple of four, the
    /// process finds the old word or the new one, never a part of one. Returns `true` if there was
    /// room.
    ///
    /// For several words of one moment, store a count before them and the same count behind them:
    /// the process reads again until both counts are equal.
    #[must_use = "a process may have taken the buffer back"]
    pub fn store(&self, index: usize, word: u32) -> bool {
        let place = self.at(index, |place| {
            // SAFETY: four bytes of the process's memory, as was checked.
            unsafe { place.write_unaligned(word) };
        });
        place.is_some()
    }

    /// Returns the word at an index, counted in words, or `None` if the buffer doesn't reach there.
    #[must_use]
    pub fn load(&self, index: usize) -> Option<u32> {
        // SAFETY: four bytes of the process's memory, as was checked.
        self.at(index, |place| unsafe { place.read_unaligned() })
    }

    /// Calls `what` with the address of a word, if the buffer reaches there.
    fn at<R>(&self, index: usize, what: impl FnOnce(*mut u32) -> R) -> Option<R> {
        let (buffer, offset) = (self.buffer()?, index.checked_mul(WORD)?);
        kernel(|_| {
            let left = (buffer.size.get() as usize).checked_sub(offset)?;
            let address = buffer.address.get() as usize + offset;
            (left >= WORD).then(|| what(ptr::with_exposed_provenance_mut(address)))
        })
    }
}
