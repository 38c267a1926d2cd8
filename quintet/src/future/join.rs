//! Handles of tasks marked `joinable`: you cancel, abort, join or restart an instance.
//!
//! ```text
//!           spawn               first poll              ready
//!   ended ─────────> waiting ───────────────> running ─────────> ended
//!                       │ cancel, abort          │ abort           ^
//!                       v                        v                 │
//!                   cancelled ──────────────> aborting ────────────┘
//!                               its level drops it, and doesn't poll it any more
//! ```
//!
//! A spawn returns the only [`Handle`] of its instance. One word holds the state and the number of
//! the instance, and one exchange changes this word. So a handle whose instance has ended does
//! nothing, even if the task was spawned again. You may call every operation that doesn't wait from
//! any context.
//!
//! Costs: 12 bytes for a task that is `joinable`, and one exchange and one test for each poll.
//! Nothing for other tasks.

#![expect(unsafe_code, reason = "the waker of who joins is guarded by the kernel's lock")]

use ::core::cell::UnsafeCell;
use ::core::future::poll_fn;
use ::core::marker::PhantomData;
use ::core::sync::atomic::AtomicU32;
use ::core::task::{Context, Poll, Waker};

use super::cell::{Align, Alignment, Cell, Maker};
use crate::arch::words;
use crate::core::lock::{KernelLock, kernel};

/// The bits of a control word that hold the state; the number of the instance is above them.
const STATE: u32 = 7;
/// The instance has ended, or there was no instance yet.
const ENDED: u32 = 0;
/// The instance is spawned, and has not been polled.
const WAITING: u32 = 1;
/// The instance has been polled.
const RUNNING: u32 = 2;
/// The instance must be dropped, and has not been polled.
const CANCELLED: u32 = 3;
/// The instance must be dropped.
const ABORTING: u32 = 4;
/// The step from one instance's number to the next. The numbers wrap after half a billion
/// instances, so a handle must be used before then.
const NEXT: u32 = STATE + 1;

/// The state of a task marked `joinable`, besides the task's cell.
pub struct Control {
    /// The number and the state of the latest instance.
    word: AtomicU32,
    /// The waker of the task that waits for the instance's end. KernelCell by the kernel's lock.
    joiner: UnsafeCell<Option<Waker>>,
}

debug_by_name!([] Control: "Control");

// SAFETY: `joiner` is touched under the kernel's lock only, and wakers are `Send`.
unsafe impl Sync for Control {}

impl Control {
    /// The state before the first instance.
    #[must_use]
    pub const fn new() -> Self {
        Self { word: AtomicU32::new(ENDED), joiner: UnsafeCell::new(None) }
    }

    /// Begins an instance, and returns its number.
    ///
    /// # Safety
    /// The caller has claimed the task's cell, and has not filled the cell yet.
    #[inline]
    pub unsafe fn begin(&self) -> u32 {
        let instance = (words::get(&self.word) & !STATE).wrapping_add(NEXT);
        words::put(&self.word, instance | WAITING);
        instance
    }

    /// Polls the instance, or drops the instance if it must end.
    ///
    /// # Safety
    /// As for [`Cell::poll`].
    pub unsafe fn poll<const SIZE: usize, const ALIGN: usize, Arguments, Function>(
        &'static self,
        cell: &'static Cell<SIZE, ALIGN>,
        maker: Function,
        waker: &Waker,
    ) where
        Align<ALIGN>: Alignment,
        Function: Maker<Arguments>,
    {
        if !cell.is_alive() {
            return;
        }
        let before = words::get(&self.word);
        let instance = before & !STATE;
        let polls = match before & STATE {
            WAITING => words::replace(&self.word, before, instance | RUNNING),
            RUNNING => true,
            _ => false,
        };
        if polls {
            // SAFETY: handed on, and a future is alive.
            if !unsafe { cell.poll_alive(maker, waker) } {
                return;
            }
        } else {
            // SAFETY: a future is alive, and this is its level.
            unsafe { cell.end::<Arguments, Function>() };
        }
        self.end(instance);
    }

    /// Notes that the instance has ended, and that the cell is free.
    fn end(&self, instance: u32) {
        loop {
            let word = words::get(&self.word);
            // If another one was spawned meanwhile, its number says that this one has ended.
            if word & !STATE != instance || words::replace(&self.word, word, instance | ENDED) {
                break;
            }
        }
        if let Some(joiner) = self.put_joiner(None) {
            joiner.wake();
        }
    }

    /// Asks the level to drop the instance, if the instance is in state `from`. Returns `true` if
    /// it was.
    fn request(&self, instance: u32, from: u32, to: u32) -> bool {
        words::replace(&self.word, instance | from, instance | to)
    }

    /// Returns `true` if the instance has ended.
    fn has_ended(&self, instance: u32) -> bool {
        let word = words::get(&self.word);
        word & !STATE != instance || word & STATE == ENDED
    }

    /// Exchanges the waker of the joining task.
    fn put_joiner(&self, joiner: Option<Waker>) -> Option<Waker> {
        let exchange = |_: &KernelLock<'_>| {
            // SAFETY: the kernel's lock is held, and nothing here calls anybody.
            unsafe { ::core::ptr::replace(self.joiner.get(), joiner) }
        };
        kernel(exchange)
    }

    /// Returns `Ready` if the instance has ended. Otherwise the end of the instance wakes
    /// `context`.
    fn poll_ended(&self, instance: u32, context: &Context<'_>) -> Poll<()> {
        if self.has_ended(instance) {
            return Poll::Ready(());
        }
        let waker = context.waker();
        let before = self.put_joiner(Some(waker.clone()));
        // Somebody waits for an earlier instance, whose end isn't told yet.
        if let Some(other) = before.filter(|other| !other.will_wake(waker)) {
            other.wake();
        }
        // It may have ended before the waker was there.
        if self.has_ended(instance) { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Default for Control {
    fn default() -> Self {
        Self::new()
    }
}

/// A task marked `joinable`. Implemented by the expansion of [`app`](crate::app).
///
/// # Safety
/// `control` is the task's, and `wake` wakes the task.
pub unsafe trait Joinable: Sized + 'static {
    /// The task's state for its handles.
    #[doc(hidden)]
    fn control() -> &'static Control;

    /// Wakes the task.
    #[doc(hidden)]
    fn wake();
}

/// A task marked `joinable` that you can spawn from any context.
pub trait Restart: Joinable {
    /// `()` if the task has no arguments, the argument if there is one, or the tuple of all
    /// arguments.
    type Arguments;

    /// Spawns the task.
    ///
    /// # Errors
    /// If the task is alive, the arguments come back.
    fn spawn(arguments: Self::Arguments) -> Result<Handle<Self>, Self::Arguments>;
}

/// A handle of the instance that one spawn began.
///
/// If you drop the handle, the instance goes on by itself.
#[derive(Debug)]
pub struct Handle<T> {
    /// The instance's number, with no state.
    instance: u32,
    task: PhantomData<fn() -> T>,
}

impl<T: Joinable> Handle<T> {
    /// Returns the handle of an instance that has just [begun](Control::begin).
    ///
    /// Safe, because a handle only asks: the level ends its instances itself, and a second handle
    /// of one instance joins under the kernel's lock.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(instance: u32) -> Self {
        Self { instance, task: PhantomData }
    }

    /// Drops the instance if its code has not begun. Returns `true` if the instance will be
    /// dropped. If this returns `false`, the instance runs or has ended, and nothing has changed.
    ///
    /// You may call this from any context. The task's level drops the arguments; until then the
    /// task is alive. [`join`](Self::join) waits until the task is no longer alive.
    #[inline]
    pub fn cancel(&self) -> bool {
        let cancelled = T::control().request(self.instance, WAITING, CANCELLED);
        if cancelled {
            T::wake();
        }
        cancelled
    }

    /// Drops the instance before its next poll. Does nothing if the instance has ended.
    ///
    /// You may call this from any context, even from the task itself: the task then runs to its
    /// next `await`. The task's level drops the future with all its variables, as when you cancel
    /// an `async` block.
    #[inline]
    pub fn abort(&self) {
        let control = T::control();
        // In this order: the level may begin it between the two.
        if control.request(self.instance, WAITING, CANCELLED)
            || control.request(self.instance, RUNNING, ABORTING)
        {
            T::wake();
        }
    }

    /// Returns `true` if the instance has ended.
    #[inline]
    #[must_use]
    pub fn has_ended(&self) -> bool {
        T::control().has_ended(self.instance)
    }

    /// Waits until the instance has ended, or has been dropped. Then you can spawn the task again.
    ///
    /// Cancel safety: dropping the future changes nothing, and you can join the handle again.
    pub async fn join(&mut self) {
        poll_fn(|context| T::control().poll_ended(self.instance, context)).await;
    }
}

impl<T: Restart> Handle<T> {
    /// Aborts the instance, waits until the instance is dropped, and spawns the task again.
    ///
    /// Cancel safety: if you drop the future before it has ended, the instance is aborted, and no
    /// other instance is spawned.
    ///
    /// # Errors
    /// If other code has spawned the task in the meantime, the arguments come back.
    pub async fn restart(mut self, arguments: T::Arguments) -> Result<Self, T::Arguments> {
        self.abort();
        self.join().await;
        T::spawn(arguments)
    }
}

#[cfg(test)]
mod tests;
