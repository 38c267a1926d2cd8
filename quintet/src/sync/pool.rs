//! [`Pool`]: memory for a number of values of one type.
//!
//! ```text
//!   free ──> slot ──> slot ──> ...        what was returned, the last first
//!   fresh: the slots from here on were never used
//! ```
//!
//! A free slot holds the link to the next one. So a pool costs four words beside its slots, and
//! takes the same few instructions to allocate or return a slot, for any number of slots. If a slot
//! is returned while a context waits, the slot is handed to the first waiter.
//!
//! # Invariants
//! - INVARIANT(pool-stays): links are addresses in the pool, so the pool is borrowed for ever
//!   before the first link exists: the pool neither moves nor ends. Offsets, which could move with
//!   the pool, would take one more instruction for each returned block, and mostly for each
//!   allocated one.

#![expect(unsafe_code, reason = "values are moved in and out of slots")]

use ::core::cell::{Cell, UnsafeCell};
use ::core::fmt;
use ::core::future::Future;
use ::core::hint::cold_path;
use ::core::mem::{ManuallyDrop, MaybeUninit};
use ::core::ops::{Deref, DerefMut};
use ::core::pin::Pin;
use ::core::ptr::NonNull;
use ::core::task::{Context, Poll, ready};

use super::SHORT;
use crate::core::kernel_cell::KernelCell;
use crate::core::list::{Visit, WaitList};
use crate::core::lock::{KernelLock, kernel};
use crate::core::section::kernel_and_wake;
use crate::core::wait::{Supply, Wait};
#[cfg(threads)]
use crate::{
    core::wait::block,
    sync::operation::{Operation, sealed::Sealed},
    thread::CurrentThread,
};
#[cfg(all(threads, feature = "time"))]
use {super::until::until, embassy_time::Instant};

/// Memory for up to `N` values of the type `T`; 1 to 65 535.
///
/// An allocation is a [`Block`], which owns its value, and returns the memory when you drop the
/// block in any context. The memory goes to a waiter, if there is one. Memory of a forgotten block
/// never comes back.
///
/// A pool is a static, or is lent for ever in another way, as `init`'s local resources are:
///
/// ```
/// use quintet::sync::Pool;
///
/// static FRAMES: Pool<[u8; 64], 4> = Pool::new();
///
/// let frame = FRAMES.try_alloc([0; 64])?;
/// # assert_eq!(frame.len(), 64);
/// # Ok::<(), quintet::sync::OutOfMemory<[u8; 64]>>(())
/// ```
///
/// The pool holds links to its own memory, so any other pool is refused:
///
/// ```compile_fail,E0597
/// use quintet::sync::Pool;
///
/// let frames = Pool::<[u8; 64], 4>::new();
/// let frame = frames.try_alloc([0; 64]); // `frames` does not live long enough
/// ```
///
/// # Contexts
/// Every task, thread, interrupt task, `init` and `idle`; not kernel-free interrupts (see
/// [`sync`](crate::sync#contexts)).
///
/// # Cost
/// Four words, and for each value its size, at least a word. To allocate or return a block, a
/// context holds the kernel's lock once, for a few instructions. The value is moved with the lock
/// open. A static pool of more than 128 bytes takes nothing of this in flash
/// ([`sync`](crate::sync#cost)).
pub struct Pool<T, const N: usize> {
    free: KernelCell<Free<T, N>>,
}

/// A slot, with a value or the link to the next free slot.
#[repr(C)]
union Slot<T> {
    next: Option<NonNull<Self>>,
    value: ManuallyDrop<MaybeUninit<T>>,
}

/// The slots, and the waiters for one.
struct Free<T, const N: usize> {
    first: Cell<Option<NonNull<Slot<T>>>>,
    waiters: WaitList<Grant<T>>,
    fresh: Cell<u16>,
    slots: UnsafeCell<[MaybeUninit<Slot<T>>; N]>,
}

// SAFETY: slots are handed out one owner at a time, for which `T: Send` is enough.
unsafe impl<T: Send, const N: usize> Send for Free<T, N> {}

/// The slot that a waiter was handed.
struct Grant<T>(Cell<Option<NonNull<Slot<T>>>>);

// SAFETY: a slot is with one owner at a time.
unsafe impl<T: Send> Send for Grant<T> {}

impl<T> Grant<T> {
    const fn new() -> Self {
        Self(Cell::new(None))
    }
}

/// The pool has no memory left. Returns the value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory<T>(pub T);

impl<T> fmt::Debug for OutOfMemory<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OutOfMemory(..)")
    }
}

impl<T> fmt::Display for OutOfMemory<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the pool has no memory left: wait for a block, or make it larger")
    }
}

impl<T> ::core::error::Error for OutOfMemory<T> {}

impl<T, const N: usize> Pool<T, N> {
    /// `true` if the pool begins with all zeros, which take no room in the program's image.
    const ZEROS: bool = size_of::<[T; N]>() > SHORT;

    /// Makes a pool without allocations.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(1 <= N && N <= u16::MAX as usize, "a pool has 1 to 65 535 blocks") };
        Self {
            free: KernelCell::new(Free {
                first: Cell::new(None),
                waiters: if Self::ZEROS { WaitList::zeros() } else { WaitList::new() },
                fresh: Cell::new(0),
                slots: UnsafeCell::new([const { MaybeUninit::uninit() }; N]),
            }),
        }
    }

    /// Returns the number of blocks, allocated or not. (Allocated blocks aren't counted: a count
    /// would make each allocation longer.)
    #[must_use]
    pub const fn capacity(&self) -> usize {
        N
    }

    /// Allocates memory for `value`, if there is a free block.
    ///
    /// # Errors
    /// [`OutOfMemory`] with the value, if there is none.
    #[inline]
    pub fn try_alloc(&'static self, value: T) -> Result<Block<T, N>, OutOfMemory<T>> {
        match kernel(|lock| self.free.get(lock).pop()) {
            Some(slot) => Ok(self.fill(slot, value)),
            None => Err(OutOfMemory(value)),
        }
    }

    /// Waits for memory, and allocates it for `value`.
    ///
    /// # Cancel safety
    /// If you drop the future, it drops the value, and gives up its place among the waiters. Memory
    /// that the future was handed goes to the next waiter. If you poll the future again after it
    /// was ready, it is pending for ever.
    #[inline]
    pub const fn alloc(&'static self, value: T) -> Allocating<T, N> {
        Allocating { pool: self, value: Some(value), wait: Wait::new(&self.free, Grant::new()) }
    }

    /// Moves the value into a slot that belongs to the caller.
    #[inline(always)]
    fn fill(&'static self, slot: NonNull<Slot<T>>, value: T) -> Block<T, N> {
        let place = slot.cast::<T>();
        // SAFETY: INVARIANT(pool-stays); the slot belongs only to the caller, and is aligned for a
        // value.
        unsafe { place.write(value) };
        Block { pool: self, place }
    }

    /// Takes a slot back.
    #[inline(always)]
    fn give(&self, slot: NonNull<Slot<T>>) {
        kernel_and_wake(|lock| {
            let free = self.free.get(lock);
            if free.waiters.is_empty(lock) {
                free.push(slot);
                return ((), None);
            }
            // So that a block that nobody waits for is returned without a jump.
            cold_path();
            let grant = |grant: &Grant<T>| {
                grant.0.set(Some(slot));
                true
            };
            match free.waiters.grant_first(lock, grant) {
                Visit::Granted(target) => ((), Some(target)),
                Visit::Again | Visit::End => ((), None),
            }
        });
    }
}

impl<T, const N: usize> Default for Pool<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> fmt::Debug for Pool<T, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pool").field("blocks", &N).finish_non_exhaustive()
    }
}

impl<T, const N: usize> Free<T, N> {
    /// Takes a slot, if there is one.
    #[inline(always)]
    fn pop(&self) -> Option<NonNull<Slot<T>>> {
        let Some(first) = self.first.get() else {
            // Once for each slot.
            cold_path();
            let fresh = self.fresh.get();
            if usize::from(fresh) == N {
                return None;
            }
            self.fresh.set(fresh + 1);
            let slots = self.slots.get().cast::<Slot<T>>();
            // SAFETY: one of the slots.
            return Some(unsafe { NonNull::new_unchecked(slots.add(usize::from(fresh))) });
        };
        // SAFETY: INVARIANT(pool-stays); a free slot holds the link to the next.
        self.first.set(unsafe { (*first.as_ptr()).next });
        Some(first)
    }

    /// Puts a slot back.
    #[inline(always)]
    fn push(&self, slot: NonNull<Slot<T>>) {
        // SAFETY: INVARIANT(pool-stays); the slot is the caller's, and its value is gone.
        unsafe { (*slot.as_ptr()).next = self.first.get() };
        self.first.set(Some(slot));
    }
}

// SAFETY: there is one list; only `Wait` and `block` link waiters.
unsafe impl<T, const N: usize> Supply for Free<T, N> {
    type Demand = Grant<T>;

    #[inline(always)]
    fn waiters(&self) -> &WaitList<Grant<T>> {
        &self.waiters
    }

    #[inline(always)]
    fn take(&self, _lock: &KernelLock<'_>, grant: &Grant<T>) -> bool {
        let slot = self.pop();
        let there = slot.is_some();
        grant.0.set(slot);
        there
    }

    fn give_back(this: &KernelCell<Self>, grant: &Grant<T>) {
        if let Some(slot) = grant.0.take() {
            // SAFETY: a pool has only this field.
            let pool = unsafe { &*::core::ptr::from_ref(this).cast::<Pool<T, N>>() };
            pool.give(slot);
        }
    }
}

/// A value in a [`Pool`]'s memory, which is returned when you drop the block.
pub struct Block<T: 'static, const N: usize> {
    pool: &'static Pool<T, N>,
    place: NonNull<T>,
}

// SAFETY: the block owns its value.
unsafe impl<T: Send, const N: usize> Send for Block<T, N> {}
// SAFETY: the same.
unsafe impl<T: Sync, const N: usize> Sync for Block<T, N> {}

impl<T, const N: usize> Block<T, N> {
    /// Moves the value out, and returns the memory.
    #[must_use]
    pub fn into_inner(self) -> T {
        let this = ManuallyDrop::new(self);
        // SAFETY: the block owns its value, which is not used again.
        let value = unsafe { this.place.read() };
        this.pool.give(this.place.cast());
        value
    }
}

impl<T, const N: usize> Deref for Block<T, N> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: INVARIANT(pool-stays); the block owns its value.
        unsafe { self.place.as_ref() }
    }
}

impl<T, const N: usize> DerefMut for Block<T, N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: INVARIANT(pool-stays); the block owns its value.
        unsafe { self.place.as_mut() }
    }
}

impl<T, const N: usize> Drop for Block<T, N> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the block owns its value, which is not used again.
        unsafe { self.place.drop_in_place() };
        self.pool.give(self.place.cast());
    }
}

impl<T: fmt::Debug, const N: usize> fmt::Debug for Block<T, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

/// The future of [`Pool::alloc`].
#[must_use = "nothing is allocated until it is awaited"]
pub struct Allocating<T: 'static, const N: usize> {
    pool: &'static Pool<T, N>,
    /// The value, until there is memory for it.
    value: Option<T>,
    wait: Wait<'static, Free<T, N>>,
}

debug_by_name!([T, const N: usize] Allocating<T, N>: "Allocating");

impl<T, const N: usize> Future for Allocating<T, N> {
    type Output = Block<T, N>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: `wait` is never moved out; the others are not pinned.
        let this = unsafe { self.get_unchecked_mut() };
        if this.value.is_none() {
            // The future was ready, and takes no more memory.
            return Poll::Pending;
        }
        // SAFETY: part of a pinned value.
        let mut wait = unsafe { Pin::new_unchecked(&mut this.wait) };
        ready!(wait.as_mut().poll(context));
        let slot = wait.demand().0.take();
        match (slot, this.value.take()) {
            (Some(slot), Some(value)) => Poll::Ready(this.pool.fill(slot, value)),
            // Both are present.
            _ => Poll::Pending,
        }
    }
}

#[cfg(threads)]
impl<T, const N: usize> Sealed for Allocating<T, N> {}

#[cfg(threads)]
impl<T, const N: usize> Operation for Allocating<T, N> {
    type Output = Block<T, N>;
    type Error = OutOfMemory<T>;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) -> Block<T, N> {
        let (pool, value) = self.into_parts();
        let slot = block(&pool.free, Grant::new(), |grant| grant.0.take());
        // SAFETY: `Free::take` and `give` put a slot there before they grant.
        pool.fill(unsafe { slot.unwrap_unchecked() }, value)
    }

    #[cfg(feature = "time")]
    #[inline]
    fn block_until(
        self,
        _this: &CurrentThread<'_>,
        deadline: Instant,
    ) -> Result<Block<T, N>, OutOfMemory<T>> {
        let (pool, value) = self.into_parts();
        match until(&pool.free, Grant::new(), deadline, |grant| grant.0.take()) {
            // SAFETY: as for `block`.
            Ok(slot) => Ok(pool.fill(unsafe { slot.unwrap_unchecked() }, value)),
            Err(_) => Err(OutOfMemory(value)),
        }
    }
}

#[cfg(threads)]
impl<T, const N: usize> Allocating<T, N> {
    /// Returns the pool and the value of a future that has not been polled: a polled future is
    /// pinned.
    #[inline(always)]
    fn into_parts(self) -> (&'static Pool<T, N>, T) {
        let Self { pool, value, wait } = self;
        let _free = wait.into_supply();
        // SAFETY: the value is there until a poll allocates memory for it.
        (pool, unsafe { value.unwrap_unchecked() })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Poll};

    use super::{OutOfMemory, Pool};
    use crate::core::wake::host::{waker, was_woken};
    use crate::sync::tests::model::keep;

    /// Returns a pool without allocations.
    fn pool<T: Send, const N: usize>() -> &'static Pool<T, N> {
        keep(Pool::new())
    }

    #[test]
    fn blocks_are_apart_and_come_back() {
        let pool = pool::<u64, 3>();
        let [a, b, c] = [1, 2, 3].map(|value| pool.try_alloc(value).expect("there are three"));
        assert_eq!(pool.try_alloc(4).unwrap_err(), OutOfMemory(4));
        assert_eq!([*a, *b, *c], [1, 2, 3]);
        let place = &raw const *b;
        drop(b);
        let d = pool.try_alloc(5).expect("one has come back");
        assert_eq!(&raw const *d, place);
        assert_eq!((*a, *c, *d), (1, 3, 5));
        assert_eq!(d.into_inner(), 5);
        assert!(pool.try_alloc(6).is_ok());
    }

    #[test]
    fn values_are_dropped_once() {
        let value = Arc::new(());
        let pool = pool::<Arc<()>, 2>();
        for _ in 0..5 {
            let block = pool.try_alloc(Arc::clone(&value)).expect("there is room");
            assert_eq!(Arc::strong_count(&value), 2);
            drop(block);
            assert_eq!(Arc::strong_count(&value), 1);
        }
        let moved = pool.try_alloc(Arc::clone(&value)).expect("there is room").into_inner();
        assert_eq!(Arc::strong_count(&moved), 2);
    }

    #[test]
    fn what_comes_back_goes_to_the_most_urgent_who_waits() {
        let pool = pool::<u32, 1>();
        let block = pool.try_alloc(1).expect("there is one");
        let (low, high) = (waker(1, 0), waker(2, 0));
        let mut second = Box::pin(pool.alloc(2));
        let mut first = Box::pin(pool.alloc(3));
        assert!(second.as_mut().poll(&mut Context::from_waker(&low)).is_pending());
        assert!(first.as_mut().poll(&mut Context::from_waker(&high)).is_pending());
        drop(block);
        assert!(was_woken(2, 0) && !was_woken(1, 0));
        assert!(pool.try_alloc(4).is_err(), "it is handed over");
        let Poll::Ready(block) = first.as_mut().poll(&mut Context::from_waker(&high)) else {
            panic!("it was granted");
        };
        assert_eq!(*block, 3);
        drop(block);
        assert!(was_woken(1, 0));
        // The future is dropped with its grant, whose memory is free again.
        drop(second);
        assert!(pool.try_alloc(5).is_ok());
    }

    #[test]
    fn who_was_ready_takes_no_more_memory() {
        let pool = pool::<u32, 2>();
        let waker = waker(1, 0);
        let mut context = Context::from_waker(&waker);
        let mut alloc = Box::pin(pool.alloc(1));
        let Poll::Ready(block) = alloc.as_mut().poll(&mut context) else {
            panic!("there are two");
        };
        assert!(alloc.as_mut().poll(&mut context).is_pending());
        let other = pool.try_alloc(2).expect("there are two");
        assert!(alloc.as_mut().poll(&mut context).is_pending());
        drop((block, other));
        assert!(!was_woken(1, 0), "it doesn't wait");
        assert!(pool.try_alloc(3).is_ok());
    }
}
