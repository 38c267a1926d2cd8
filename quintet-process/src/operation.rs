//! Operations: a command that begins something, and the upcall that ends it. One operation at a
//! time.
//!
//! ```text
//!          begin                 the upcall comes; its future takes the words
//!  Free ───────────> Running ─────────────────────────────────────────────> Free
//!                    │    │   a blocking call needs the driver
//!                    │    └──────────────────────────────────> Parked ────> Free
//!                    │ its future is dropped
//!                    └───────────────> Abandoned ──────────────────────────> Free
//!                                                 the upcall comes
//! ```

use core::cell::Cell;
use core::future::poll_fn;
use core::task::Poll;

use crate::ErrorCode;
use crate::system::{OneThread, life};
use crate::upcall::Upcall;

/// A command of a driver and the upcall that ends the command: a static of your application.
///
/// Futures that use the operation take turns. You may use [`run`](Self::run) and
/// [`run_blocking`](Self::run_blocking) in one program.
#[derive(Debug)]
pub struct Operation {
    upcall: Upcall,
    state: OneThread<Cell<(u32, State)>>,
}

/// The state of the operation. `start` is the number of upcalls before it began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Free,
    Running { start: u32 },
    Parked { words: [u32; 3] },
    Abandoned { start: u32 },
}

impl Operation {
    /// Returns an operation of a driver that ends by the upcall of this number.
    #[must_use]
    pub const fn new(driver: u32, upcall: u32) -> Self {
        let state = OneThread::new(Cell::new((0, State::Free)));
        Self { upcall: Upcall::new(driver, upcall), state }
    }

    /// Waits until no other operation is under way, begins an operation with `begin`, waits until
    /// it ends, and returns the words of the upcall.
    ///
    /// Cancel safe, if `begin` lends only a [`Buffer`](crate::Buffer): an operation that has begun
    /// goes on, and the next one waits for its end. If you forget a future instead of dropping it,
    /// the operation stays taken for all later futures.
    ///
    /// # Errors
    /// The error of `begin`, or of the subscription: `NoDevice`, `NoSupport`.
    pub async fn run(
        &'static self,
        begin: impl FnOnce() -> Result<(), ErrorCode>,
    ) -> Result<[u32; 3], ErrorCode> {
        self.run_or(begin, || {}).await
    }

    /// As [`run`](Self::run). If the future is dropped, it calls `abort`, which lets the driver end
    /// the operation.
    pub(crate) async fn run_or(
        &'static self,
        begin: impl FnOnce() -> Result<(), ErrorCode>,
        abort: fn(),
    ) -> Result<[u32; 3], ErrorCode> {
        self.upcall.listen()?;
        poll_fn(|context| {
            if self.is_free() {
                return Poll::Ready(());
            }
            self.upcall.wakers().register(context.waker());
            Poll::Pending
        })
        .await;
        let claim = Claim { operation: self, abort };
        self.set(State::Running { start: self.upcall.count() });
        if let Err(error) = begin() {
            self.release();
            core::mem::forget(claim);
            return Err(error);
        }
        let words = poll_fn(|context| match self.taken() {
            Some(words) => Poll::Ready(words),
            None => {
                self.upcall.wakers().register(context.waker());
                Poll::Pending
            }
        })
        .await;
        core::mem::forget(claim);
        Ok(words)
    }

    /// Begins an operation with `begin`, blocks until it ends, and returns the words of the upcall.
    /// If another operation is under way, first blocks until that one ends.
    ///
    /// # Errors
    /// The error of `begin`.
    pub fn run_blocking(
        &'static self,
        begin: impl FnOnce() -> Result<(), ErrorCode>,
    ) -> Result<[u32; 3], ErrorCode> {
        let others = self.finish();
        let start = self.upcall.count();
        self.set(State::Abandoned { start });
        let words = begin().map(|()| {
            while self.upcall.count() == start {
                self.upcall.wait();
            }
            self.upcall.words()
        });
        match others {
            Some(words) => self.set(State::Parked { words }),
            None => self.release(),
        }
        words
    }

    /// Returns `true` if a future has the operation, even a future that has not yet seen its
    /// upcall.
    pub(crate) fn is_taken(&self) -> bool {
        matches!(self.state(), State::Running { .. } | State::Parked { .. })
    }

    /// Blocks until the operation under way ends. Returns the words for a future that has not yet
    /// taken them.
    fn finish(&'static self) -> Option<[u32; 3]> {
        let (start, is_wanted) = match self.state() {
            State::Free => return None,
            State::Parked { words } => return Some(words),
            State::Running { start } => (start, true),
            State::Abandoned { start } => (start, false),
        };
        while self.upcall.count() == start {
            self.upcall.wait();
        }
        is_wanted.then(|| self.upcall.words())
    }

    /// Returns `true` if an operation may begin.
    fn is_free(&self) -> bool {
        match self.state() {
            State::Free => true,
            State::Abandoned { start } => self.upcall.count() != start,
            State::Running { .. } | State::Parked { .. } => false,
        }
    }

    /// Returns the words for the future that has the operation, if they have come. Then the
    /// operation is free.
    fn taken(&self) -> Option<[u32; 3]> {
        let words = match self.state() {
            State::Running { start } if self.upcall.count() != start => self.upcall.words(),
            State::Parked { words } => words,
            _ => return None,
        };
        self.release();
        Some(words)
    }

    /// Lets the next operation begin.
    fn release(&self) {
        self.set(State::Free);
        self.upcall.wakers().wake();
    }

    fn state(&self) -> State {
        match self.state.get().get() {
            (when, state) if when == life() => state,
            _ => State::Free,
        }
    }

    fn set(&self, state: State) {
        self.state.get().set((life(), state));
    }
}

/// A future has the operation.
struct Claim {
    operation: &'static Operation,
    abort: fn(),
}

impl Drop for Claim {
    fn drop(&mut self) {
        match self.operation.state() {
            State::Running { start } if self.operation.upcall.count() == start => {
                self.operation.set(State::Abandoned { start });
                (self.abort)();
            }
            _ => self.operation.release(),
        }
    }
}
