//! [`EventPool`]: memory for the data of events that are too large to be copied, or that several
//! actors get at a time.
//!
//! ```text
//!            try_new              share                clone
//!   pool ────────────> Unique ────────────> Shared ────────────> Shared ...
//!     ^                  │ drop                │ drop of the last
//!     └──────────────────┴─────────────────────┘
//! ```
//!
//! A handle is one word: the address of a block. The block names its pool and has a count. A
//! [`Unique`] changes the data and never touches the count. [`Shared`] handles are counted, and
//! only read the data.
//!
//! # Invariants
//! - INVARIANT(block-owned): a block that is not free belongs to one `Unique`, or to as many
//!   `Shared` as its count says. Its value is valid, and `pool` is the pool that it lies in.
//! - INVARIANT(block-free): a free block holds the link to the next.

#![expect(unsafe_code, reason = "values are moved in and out of blocks")]

use ::core::cell::{Cell, UnsafeCell};
use ::core::fmt;
use ::core::mem::{ManuallyDrop, MaybeUninit};
use ::core::ops::{Deref, DerefMut};
use ::core::ptr::NonNull;
use ::core::sync::atomic::AtomicU32;

use crate::arch::words;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;

/// More handles of one block than memory can hold: some handles were forgotten.
const HANDLES_MAX: u32 = u32::MAX / 2;

/// Memory for the data of up to `N` events at a time, 1 to 65 535.
///
/// A pool is a static:
///
/// ```
/// use quintet::actor::{EventPool, Shared, Unique};
///
/// static FRAMES: EventPool<[u8; 64], 4> = EventPool::new();
///
/// let mut frame: Unique<[u8; 64]> = FRAMES.try_new([0; 64])?;
/// frame[0] = 1;
/// let first: Shared<[u8; 64]> = frame.share();
/// let second = first.clone();
/// drop(first);
/// assert_eq!(second[0], 1);
/// # Ok::<(), quintet::actor::PoolEmpty<[u8; 64]>>(())
/// ```
///
/// The compiler refuses code that uses a handle after the handle was given away:
///
/// ```compile_fail,E0382
/// # use quintet::actor::EventPool;
/// # static FRAMES: EventPool<[u8; 64], 4> = EventPool::new();
/// let mut frame = FRAMES.try_new([0; 64]).unwrap();
/// let shared = frame.share();
/// frame[0] = 1; // it is shared
/// ```
///
/// ```compile_fail,E0382
/// # use quintet::actor::EventPool;
/// # static FRAMES: EventPool<[u8; 64], 4> = EventPool::new();
/// let frame = FRAMES.try_new([0; 64]).unwrap();
/// drop(frame);
/// let first = frame[0]; // its memory was recycled
/// ```
///
/// ```compile_fail,E0505
/// # use quintet::actor::EventPool;
/// # static FRAMES: EventPool<[u8; 64], 4> = EventPool::new();
/// let frame = FRAMES.try_new([0; 64]).unwrap().share();
/// let first = &frame[0];
/// drop(frame); // its memory would be recycled
/// assert_eq!(*first, 0);
/// ```
///
/// Shared data doesn't change, and must be `Sync`:
///
/// ```compile_fail,E0594
/// # use quintet::actor::EventPool;
/// # static FRAMES: EventPool<[u8; 64], 4> = EventPool::new();
/// let mut frame = FRAMES.try_new([0; 64]).unwrap().share();
/// frame[0] = 1; // others may read it
/// ```
///
/// ```compile_fail,E0277
/// # use quintet::actor::Shared;
/// fn post<T: Send>(event: T) {}
/// fn post_shared(cell: Shared<core::cell::Cell<u8>>) {
///     post(cell); // several contexts would change it
/// }
/// ```
///
/// # Contexts
/// Every task, thread, interrupt task, `init` and `idle`; not kernel-free interrupts (see
/// [`sync`](crate::sync#contexts)). A handle is dropped where its event is dropped. The context
/// that drops the last handle also drops the value.
///
/// # Cost
/// Two words, and for each block the size of the value (at least a word) and two more words. Making
/// and recycling a block hold the kernel's lock once, for a few instructions; the value is moved
/// outside the lock. Cloning a [`Shared`] is one exclusive access, and so is dropping one of
/// several.
pub struct EventPool<T, const N: usize> {
    free: KernelCell<Free<T>>,
    /// Blocks from this index on were never used. KernelCell by the kernel's lock.
    fresh: KernelCell<Cell<u16>>,
    blocks: UnsafeCell<[MaybeUninit<Block<T>>; N]>,
}

// SAFETY: blocks are handed out one owner at a time, for which `T: Send` is enough.
unsafe impl<T: Send, const N: usize> Sync for EventPool<T, N> {}

/// The first free block.
struct Free<T>(Cell<Option<NonNull<Block<T>>>>);

// SAFETY: a free block is nobody's.
unsafe impl<T: Send> Send for Free<T> {}

/// A block: its pool, its count while it is shared, and a value or a link.
#[repr(C)]
struct Block<T> {
    pool: NonNull<KernelCell<Free<T>>>,
    count: AtomicU32,
    content: Content<T>,
}

/// A value, or the link to the next free block.
#[repr(C)]
union Content<T> {
    next: Option<NonNull<Block<T>>>,
    value: ManuallyDrop<MaybeUninit<T>>,
}

/// The error of a pool without a free block. The error gives the value back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PoolEmpty<T>(pub T);

impl<T> fmt::Debug for PoolEmpty<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PoolEmpty(..)")
    }
}

impl<T> fmt::Display for PoolEmpty<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "the event pool has no free block: make it larger, or try again when events have been \
             handled",
        )
    }
}

impl<T> ::core::error::Error for PoolEmpty<T> {}

impl<T, const N: usize> EventPool<T, N> {
    /// Returns a pool without used blocks. The pool is all zeros, so that a static takes no flash.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(1 <= N && N <= u16::MAX as usize, "a pool has 1 to 65 535 blocks") };
        Self {
            free: KernelCell::new(Free(Cell::new(None))),
            fresh: KernelCell::new(Cell::new(0)),
            blocks: UnsafeCell::new([const { MaybeUninit::uninit() }; N]),
        }
    }

    /// Puts `value` into a free block.
    ///
    /// # Errors
    /// If no block is free, [`PoolEmpty`] with the value.
    #[inline(always)]
    pub fn try_new(&'static self, value: T) -> Result<Unique<T>, PoolEmpty<T>> {
        let block = kernel(|lock| {
            let free = &self.free.get(lock).0;
            let first = free.get();
            if let Some(first) = first {
                // SAFETY: INVARIANT(block-free).
                free.set(unsafe { (*first.as_ptr()).content.next });
            }
            first
        });
        let Some(block) = block.or_else(|| self.take_fresh()) else { return Err(PoolEmpty(value)) };
        // SAFETY: the block is the caller's now.
        unsafe { value_of(block).write(value) };
        Ok(Unique { block })
    }

    /// Returns the number of blocks.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        N
    }

    /// Returns the largest number of blocks that were ever in use at once.
    #[must_use]
    pub fn high_water(&self) -> usize {
        kernel(|lock| usize::from(self.fresh.get(lock).get()))
    }

    /// Takes a block that was never used. Each block is taken in this way once.
    #[cold]
    #[inline(never)]
    fn take_fresh(&'static self) -> Option<NonNull<Block<T>>> {
        let index = kernel(|lock| {
            let fresh = self.fresh.get(lock);
            let index = fresh.get();
            (usize::from(index) < N).then(|| {
                fresh.set(index + 1);
                index
            })
        })?;
        // SAFETY: one of the blocks, and nobody else's. What isn't written is written before it is
        // read: the count by `share`, the value by the caller.
        unsafe {
            let block = self.blocks.get().cast::<Block<T>>().add(usize::from(index));
            (&raw mut (*block).pool).write(NonNull::from_ref(&self.free));
            (&raw mut (*block).count).write(AtomicU32::new(1));
            Some(NonNull::new_unchecked(block))
        }
    }
}

impl<T, const N: usize> Default for EventPool<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> fmt::Debug for EventPool<T, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EventPool").field("blocks", &N).finish_non_exhaustive()
    }
}

/// Returns the place of a block's value.
#[inline(always)]
const fn value_of<T>(block: NonNull<Block<T>>) -> NonNull<T> {
    // SAFETY: a block is valid as long as its pool, for ever; only an address is computed.
    unsafe { NonNull::new_unchecked((&raw mut (*block.as_ptr()).content).cast()) }
}

/// Drops a block's value, and gives the block back to its pool.
///
/// # Safety
/// The block belongs to the caller, by INVARIANT(block-owned), and the caller no longer uses the
/// block.
#[inline(always)]
unsafe fn recycle<T>(block: NonNull<Block<T>>) {
    // SAFETY: the caller's.
    unsafe {
        value_of(block).drop_in_place();
        give_back(block);
    }
}

/// Gives a block back to its pool.
///
/// # Safety
/// As for [`recycle`]; the block's value is gone.
#[inline(always)]
unsafe fn give_back<T>(block: NonNull<Block<T>>) {
    // SAFETY: INVARIANT(block-owned): a pool lives for ever.
    let pool = unsafe { (*block.as_ptr()).pool.as_ref() };
    kernel(|lock| {
        let free = &pool.get(lock).0;
        // SAFETY: the block is the caller's.
        unsafe { (*block.as_ptr()).content.next = free.get() };
        free.set(Some(block));
    });
}

/// The only handle of a value in the memory of an [`EventPool`]. The handle is one word.
///
/// When you drop the handle, the value is dropped, and the memory is free for the next value. If
/// you forget the handle (`mem::forget`), the memory never becomes free.
pub struct Unique<T: 'static> {
    block: NonNull<Block<T>>,
}

// SAFETY: it owns its value.
unsafe impl<T: Send> Send for Unique<T> {}
// SAFETY: the same.
unsafe impl<T: Sync> Sync for Unique<T> {}

impl<T> Unique<T> {
    /// Turns this handle into a handle that you can clone, for several receivers. From then on the
    /// value doesn't change.
    #[inline(always)]
    #[must_use]
    pub fn share(self) -> Shared<T> {
        let block = ManuallyDrop::new(self).block;
        // SAFETY: INVARIANT(block-owned): nobody else has it.
        words::put(unsafe { &(*block.as_ptr()).count }, 1);
        Shared { block }
    }

    /// Moves the value out, and recycles the memory.
    #[must_use]
    pub fn into_inner(self) -> T {
        let block = ManuallyDrop::new(self).block;
        // SAFETY: INVARIANT(block-owned); it is not used again.
        unsafe {
            let value = value_of(block).read();
            give_back(block);
            value
        }
    }
}

impl<T> Deref for Unique<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: INVARIANT(block-owned).
        unsafe { value_of(self.block).as_ref() }
    }
}

impl<T> DerefMut for Unique<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: INVARIANT(block-owned): this is the only handle.
        unsafe { value_of(self.block).as_mut() }
    }
}

impl<T> Drop for Unique<T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: it owns the block, and is dropped.
        unsafe { recycle(self.block) };
    }
}

impl<T: fmt::Debug> fmt::Debug for Unique<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

/// A value in the memory of an [`EventPool`], with any number of handles: for example one for each
/// actor. A handle is one word.
///
/// Dropping the last handle drops the value, and the memory is free for the next value.
pub struct Shared<T: 'static> {
    block: NonNull<Block<T>>,
}

// SAFETY: several contexts read the value, and any of them drops it.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: the same: by a reference it can be cloned.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// Turns this handle into a [`Unique`], if no other handle of the value exists.
    ///
    /// # Errors
    /// If there are other handles, this handle comes back.
    pub fn try_unique(self) -> Result<Unique<T>, Self> {
        if words::get(self.count()) == 1 {
            return Ok(Unique { block: ManuallyDrop::new(self).block });
        }
        Err(self)
    }

    /// Returns the count of handles.
    #[inline(always)]
    const fn count(&self) -> &AtomicU32 {
        // SAFETY: INVARIANT(block-owned): it has a part in the block.
        unsafe { &(*self.block.as_ptr()).count }
    }

    /// Panics because of too many handles.
    #[cold]
    #[inline(never)]
    fn refuse(count: &AtomicU32) -> ! {
        // It has been counted: taken back, the count never comes to its end.
        words::add(count, u32::MAX);
        panic!("an event has more than 2^31 handles: the program forgets them by `mem::forget`")
    }
}

impl<T> Clone for Shared<T> {
    /// Returns another handle of the same value.
    ///
    /// # Panics
    /// If there are more than 2<sup>31</sup> handles, most of which must have been forgotten.
    #[inline(always)]
    fn clone(&self) -> Self {
        let count = self.count();
        if words::add(count, 1) > HANDLES_MAX {
            Self::refuse(count);
        }
        Self { block: self.block }
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: INVARIANT(block-owned).
        unsafe { value_of(self.block).as_ref() }
    }
}

impl<T> Drop for Shared<T> {
    #[inline]
    fn drop(&mut self) {
        // The only handle is counted by nobody else.
        if words::get(self.count()) == 1 || words::add(self.count(), u32::MAX) == 1 {
            // SAFETY: it was the last.
            unsafe { recycle(self.block) };
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

#[cfg(test)]
mod tests;
