//! Handles of tasks marked `joinable`: cancel, abort, join, restart.
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
//! A spawn gives the only [`Handle`] of its instance. The state and the number of the instance are
//! in one word, which is changed by one exchange. So a handle whose instance has ended does
//! nothing, whatever was spawned since, and all of it may be called from any context.
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
use crate::core::lock::{Kernel, kernel};

/// The bits of a control word that hold the state; the number of the instance is above them.
const STATE: u32 = 7;
/// The instance has ended, or there was none yet.
const ENDED: u32 = 0;
/// It is spawned, and has not been polled.
const WAITING: u32 = 1;
/// It has been polled.
const RUNNING: u32 = 2;
/// It is to be dropped, and has not been polled.
const CANCELLED: u32 = 3;
/// It is to be dropped.
const ABORTING: u32 = 4;
/// From one instance's number to the next one's. They wrap after half a billion instances: until
/// then a handle must have been used.
const NEXT: u32 = STATE + 1;

/// What a task marked `joinable` has besides its cell.
pub struct Control {
    /// The number of the latest instance, and its state.
    word: AtomicU32,
    /// Who waits for its end. Guarded by the kernel's lock.
    joiner: UnsafeCell<Option<Waker>>,
}

debug_by_name!([] Control: "Control");

// SAFETY: `joiner` is touched under the kernel's lock only, and wakers are `Send`.
unsafe impl Sync for Control {}

impl Control {
    /// There was no instance yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { word: AtomicU32::new(ENDED), joiner: UnsafeCell::new(None) }
    }

    /// Begins an instance, and returns its number. Whoever has claimed the cell calls it, before
    /// the cell is filled.
    #[inline]
    pub fn begin(&self) -> u32 {
        let instance = (words::get(&self.word) & !STATE).wrapping_add(NEXT);
        words::put(&self.word, instance | WAITING);
        instance
    }

    /// Polls the instance, or drops it if it is to end.
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

    /// The instance has ended, and the cell is free.
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

    /// Asks that the instance be dropped, if it is in state `from`. Returns whether it was.
    fn request(&self, instance: u32, from: u32, to: u32) -> bool {
        words::replace(&self.word, instance | from, instance | to)
    }

    /// Whether the instance has ended.
    fn has_ended(&self, instance: u32) -> bool {
        let word = words::get(&self.word);
        word & !STATE != instance || word & STATE == ENDED
    }

    /// Exchanges the waker of who joins.
    fn put_joiner(&self, joiner: Option<Waker>) -> Option<Waker> {
        let exchange = |_: &Kernel<'_>| {
            // SAFETY: the kernel's lock is held, and nothing here calls anybody.
            unsafe { ::core::ptr::replace(self.joiner.get(), joiner) }
        };
        kernel(exchange)
    }

    /// Ready if the instance has ended; if not, its end wakes `context`.
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
    /// What the task has for its handles.
    #[doc(hidden)]
    fn control() -> &'static Control;

    /// Wakes the task.
    #[doc(hidden)]
    fn wake();
}

/// A task marked `joinable` that is spawned from any context.
pub trait Restart: Joinable {
    /// `()` if the task has no arguments, the only one, or the tuple of all.
    type Arguments;

    /// Spawns the task.
    ///
    /// # Errors
    /// When the task is alive: the arguments come back.
    fn spawn(arguments: Self::Arguments) -> Result<Handle<Self>, Self::Arguments>;
}

/// The instance of a task that one spawn began.
///
/// Dropping it lets the instance go on by itself.
#[derive(Debug)]
pub struct Handle<T> {
    /// Its number, with no state.
    instance: u32,
    task: PhantomData<fn() -> T>,
}

impl<T: Joinable> Handle<T> {
    /// The handle of an instance that has just [begun](Control::begin).
    #[doc(hidden)]
    #[must_use]
    pub const fn new(instance: u32) -> Self {
        Self { instance, task: PhantomData }
    }

    /// Drops the instance if its code has not begun. Returns whether that will be so; if not, the
    /// instance runs or has ended, and nothing has changed.
    ///
    /// From any context. The arguments are dropped from the task's level; until then the task is
    /// alive, and [`join`](Self::join) says when it isn't.
    #[inline]
    pub fn cancel(&self) -> bool {
        let cancelled = T::control().request(self.instance, WAITING, CANCELLED);
        if cancelled {
            T::wake();
        }
        cancelled
    }

    /// Drops the instance before it would be polled again. Does nothing if it has ended.
    ///
    /// From any context, also from the task itself: it then goes on to its next `await`. The future
    /// is dropped from the task's level, as an `async` block's variables are when it is cancelled.
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

    /// Whether the instance has ended.
    #[inline]
    #[must_use]
    pub fn has_ended(&self) -> bool {
        T::control().has_ended(self.instance)
    }

    /// Waits until the instance has ended, or has been dropped. The task can be spawned again then.
    ///
    /// Cancel safety: dropping the future changes nothing; the handle can be joined again.
    pub async fn join(&mut self) {
        poll_fn(|context| T::control().poll_ended(self.instance, context)).await;
    }
}

impl<T: Restart> Handle<T> {
    /// Aborts the instance, waits until it is dropped, and spawns the task again.
    ///
    /// Cancel safety: when the future is dropped before it has ended, the instance is aborted, and
    /// no other one is spawned.
    ///
    /// # Errors
    /// When somebody else has spawned the task meanwhile: the arguments come back.
    pub async fn restart(mut self, arguments: T::Arguments) -> Result<Self, T::Arguments> {
        self.abort();
        self.join().await;
        T::spawn(arguments)
    }
}

#[cfg(test)]
mod tests;
