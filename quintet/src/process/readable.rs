//! Buffers that a process reads while a driver writes to them: userspace-readable ones.
//!
//! A process that has allowed such a buffer goes on reading it, and must not write there. The
//! driver writes whenever it has something new, and the process finds it without a call: a clock,
//! a counter, the last sample.

#![expect(unsafe_code, reason = "the memory of processes is copied from and to")]

use ::core::ptr;

use super::client::{Buffer, Client, copy};
use crate::core::lock::kernel;

/// The size of a word, in bytes.
const WORD: usize = size_of::<u32>();

/// A buffer of a process that the process reads meanwhile: by [`Client::readable`].
///
/// It has no bytes before the process allows it, and none any more as soon as the process allows
/// another one by this number, which it may do at any time, or none, ends, or starts anew. From
/// every context that the kernel knows of.
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

    /// How many bytes it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.buffer().map_or(0, |buffer| kernel(|_| buffer.size.get() as usize))
    }

    /// Whether it has no bytes: the process has allowed none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Copies to it, from `offset` on, in sections of 16 bytes. How many bytes had room. A process
    /// that has read a part before finds old bytes beside new ones: what it must find as a whole is
    /// [stored](Self::store).
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

    /// Copies from it, from `offset` on, in sections of 16 bytes. How many bytes there were.
    ///
    /// The process can write there too, against the rules: a driver keeps what it must be sure of
    /// in its own state.
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

    /// Stores a word at a place, counted in words. The process finds the old word or the new one,
    /// and never a part of one, if the buffer begins at a multiple of four. Whether it had room.
    ///
    /// For several words of one moment, store a count before them and the same count behind them:
    /// the process reads again until it finds both alike.
    #[must_use = "a process may have taken the buffer back"]
    pub fn store(&self, index: usize, word: u32) -> bool {
        let place = self.at(index, |place| {
            // SAFETY: four bytes of the process's memory, as was checked.
            unsafe { place.write_unaligned(word) };
        });
        place.is_some()
    }

    /// The word at a place, counted in words; none if it doesn't reach there.
    #[must_use]
    pub fn load(&self, index: usize) -> Option<u32> {
        // SAFETY: four bytes of the process's memory, as was checked.
        self.at(index, |place| unsafe { place.read_unaligned() })
    }

    /// Does something with a word, if the buffer reaches there.
    fn at<R>(&self, index: usize, what: impl FnOnce(*mut u32) -> R) -> Option<R> {
        let (buffer, offset) = (self.buffer()?, index.checked_mul(WORD)?);
        kernel(|_| {
            let left = (buffer.size.get() as usize).checked_sub(offset)?;
            let address = buffer.address.get() as usize + offset;
            (left >= WORD).then(|| what(ptr::with_exposed_provenance_mut(address)))
        })
    }
}
