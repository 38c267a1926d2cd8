//! Async tasks of a capacity above 1: one instance is alive, and the arguments of later spawns
//! wait.
//!
//! Up to `SLOTS` instances can be spawned and not finished. They run one after the other, in the
//! order of their spawns, in the memory of one future. A spawn copies its arguments into a
//! [queue](crate::core::queue). When an instance's turn comes, the level builds the future from the
//! arguments.
//!
//! Costs the queue, and 4 bytes.

#![expect(unsafe_code, reason = "a task's level builds and polls its future")]

use ::core::sync::atomic::AtomicU32;
use ::core::task::Waker;

use super::cell::{Align, Alignment, Cell, Maker};
use crate::arch::words;
use crate::core::queue::Queue;

/// The arguments of spawns whose turn has not come, and the slot of the instance that runs.
pub struct Backlog<T, const SLOTS: usize> {
    /// Each entry keeps its slot until its instance has ended.
    waiting: Queue<T, SLOTS>,
    /// The bit of the slot whose instance is alive.
    running: AtomicU32,
}

impl<T, const SLOTS: usize> Backlog<T, SLOTS> {
    /// An empty backlog.
    #[must_use]
    pub const fn new() -> Self {
        Self { waiting: Queue::new(), running: AtomicU32::new(0) }
    }

    /// Puts the arguments of a spawn into the queue; the caller then wakes the task. From any
    /// context.
    ///
    /// # Errors
    /// If `SLOTS` instances have not ended, `arguments` come back.
    ///
    /// # Safety
    /// `T` is `Send`, or the caller runs in the level that polls.
    pub unsafe fn put(&self, arguments: T) -> Result<(), T> {
        // SAFETY: the caller's.
        unsafe { self.waiting.put(arguments) }
    }

    /// Polls the instance that is alive, or builds the next one first if none is alive. Returns
    /// `true` if the task must be woken again, as another instance waits.
    ///
    /// # Safety
    /// Called from the task's level only, never nested. `maker` is the cell's, `waker` the
    /// task's.
    #[must_use]
    pub unsafe fn poll<const SIZE: usize, const ALIGN: usize, Arguments: 'static, Function>(
        &'static self,
        cell: &'static Cell<SIZE, ALIGN>,
        maker: Function,
        waker: &Waker,
        build: impl FnOnce(T) -> Function::Future,
    ) -> bool
    where
        Align<ALIGN>: Alignment,
        Function: Maker<Arguments>,
    {
        if !cell.is_alive() {
            // SAFETY: the level is the only one that takes, and it doesn't nest.
            let Some((arguments, bit)) = (unsafe { self.waiting.take() }) else { return false };
            words::put(&self.running, bit);
            // SAFETY: nobody else fills the cell: spawns put their arguments into the queue.
            unsafe { cell.fill(maker, || build(arguments)) };
        }
        // SAFETY: handed on, and a future is alive now.
        let ended = unsafe { cell.poll_alive(maker, waker) };
        if ended {
            // SAFETY: from the `take` before this instance was built.
            unsafe { self.waiting.free(words::get(&self.running)) };
        }
        ended && !self.waiting.is_empty()
    }
}

impl<T, const SLOTS: usize> Default for Backlog<T, SLOTS> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
