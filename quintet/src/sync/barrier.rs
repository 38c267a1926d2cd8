//! [`Barrier`]: a fixed number of threads and tasks wait for each other.

#![expect(unsafe_code, reason = "futures are made of pinned ones")]

use ::core::cell::Cell;
use ::core::future::Future;
#[cfg(threads)]
use ::core::mem::ManuallyDrop;
use ::core::pin::Pin;
use ::core::task::{Context, Poll};

use crate::core::kernel_cell::KernelCell;
use crate::core::list::{WaitList, visit_all};
use crate::core::lock::{KernelLock, kernel};
use crate::core::section::{SectionEnd, kernel_and_then};
use crate::core::wait::{Supply, Wait};
#[cfg(threads)]
use crate::{
    core::wait::block,
    sync::operation::{Operation, TimedOut, sealed::Sealed},
    thread::CurrentThread,
};
#[cfg(all(threads, feature = "time"))]
use {super::until::until, embassy_time::Instant};

/// A place where a fixed number of threads and tasks wait for each other: none continues before all
/// have arrived. Then the barrier begins again.
///
/// ```
/// use quintet::sync::{Barrier, Operation};
/// use quintet::thread::CurrentThread;
///
/// static READY: Barrier = Barrier::new(2);
///
/// async fn task() {
///     // `true` in one of them: the last.
///     if READY.wait().await {
///         // Do once what follows.
///     }
/// }
///
/// fn thread(this: &CurrentThread<'_>) {
///     READY.wait().block(this);
/// }
/// # let _ = thread;
///
/// // An interrupt can't wait, but its arrival counts.
/// assert!(!READY.arrive());
/// embassy_futures::block_on(task());
/// ```
///
/// # Contexts
/// Threads and async tasks wait. Other tasks and interrupt tasks [`arrive`](Self::arrive) without
/// waiting.
///
/// # Cost
/// 16 bytes. The last to arrive wakes the others, with one section of the kernel's lock for each.
pub struct Barrier {
    meeting: KernelCell<Meeting>,
}

/// The data that the lock guards.
struct Meeting {
    /// The waiters, each with the round for which it waits.
    waiters: WaitList<Arrived>,
    /// The number of finished rounds.
    round: Cell<u32>,
    /// The number of missing arrivals in this round.
    missing: Cell<u16>,
    parties: u16,
}

/// The round in which a waiter has arrived, if it has.
struct Arrived(KernelCell<Cell<Option<u32>>>);

impl Barrier {
    /// Makes a barrier for `parties` threads and tasks.
    ///
    /// # Panics
    /// If `parties` is 0; in a static, at compile time.
    #[must_use]
    #[track_caller]
    pub const fn new(parties: u16) -> Self {
        assert!(parties > 0, "a barrier is for one at least");
        Self {
            meeting: KernelCell::new(Meeting {
                waiters: WaitList::new(),
                round: Cell::new(0),
                missing: Cell::new(parties),
                parties,
            }),
        }
    }

    /// Arrives without waiting for the others. Returns `true` if this was the last arrival: then
    /// the others continue.
    pub fn arrive(&self) -> bool {
        let section = |lock: &KernelLock<'_>| self.meeting.get(lock).arrive();
        kernel_and_then(section, |round, _pause| release(&self.meeting, round))
    }

    /// Arrives, and waits until all have arrived. Returns `true` if this was the last arrival.
    ///
    /// # Cancel safety
    /// If you drop the future before all have arrived, the arrival no longer counts.
    #[inline]
    pub const fn wait(&self) -> Waiting<'_> {
        Waiting { wait: Wait::new(&self.meeting, Arrived(KernelCell::new(Cell::new(None)))) }
    }
}

impl Arrived {
    #[cfg(threads)]
    const fn in_round(round: u32) -> Self {
        Self(KernelCell::new(Cell::new(Some(round))))
    }
}

impl Meeting {
    /// Counts an arrival. Returns `true` if this was the last one; the rest is then to
    /// [release](release) the round.
    #[inline(always)]
    fn arrive(&self) -> (bool, SectionEnd<u32>) {
        let (round, missing) = (self.round.get(), self.missing.get() - 1);
        if missing != 0 {
            self.missing.set(missing);
            return (false, SectionEnd::End);
        }
        self.missing.set(self.parties);
        self.round.set(round.wrapping_add(1));
        (true, SectionEnd::Rest(round))
    }

    /// Takes back an arrival in `round`, if the round isn't over. Returns whether this was so.
    fn take_back(&self, round: u32) -> bool {
        let is_missing = self.round.get() == round;
        if is_missing {
            self.missing.set(self.missing.get() + 1);
        }
        is_missing
    }

    /// Returns `true` if the round of a waiter is over.
    fn is_over(&self, lock: &KernelLock<'_>, arrived: &Arrived) -> bool {
        arrived.0.get(lock).get().is_some_and(|round| round != self.round.get())
    }
}

/// Wakes all waiters of `round`.
#[inline(never)]
fn release(meeting: &KernelCell<Meeting>, round: u32) {
    visit_all(|lock, search| {
        let waits = |arrived: &Arrived| arrived.0.get(lock).get() == Some(round);
        meeting.get(lock).waiters.grant_next(lock, search, waits)
    });
}

// SAFETY: there is one list; only `Wait` and the blocking functions link waiters.
unsafe impl Supply for Meeting {
    type Demand = Arrived;

    #[inline(always)]
    fn waiters(&self) -> &WaitList<Arrived> {
        &self.waiters
    }

    #[inline(always)]
    fn take(&self, lock: &KernelLock<'_>, arrived: &Arrived) -> bool {
        self.is_over(lock, arrived)
    }

    /// All have arrived: the round is over for each waiter, whether it has seen this or not.
    fn give_back(_this: &KernelCell<Self>, _arrived: &Arrived) {}
}

impl ::core::fmt::Debug for Barrier {
    fn fmt(&self, formatter: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        let (missing, parties) = kernel(|lock| {
            let meeting = self.meeting.get(lock);
            (meeting.missing.get(), meeting.parties)
        });
        write!(formatter, "Barrier({missing} of {parties} missing)")
    }
}

/// The future of [`Barrier::wait`].
#[must_use = "nobody arrives until it is awaited"]
pub struct Waiting<'a> {
    wait: Wait<'a, Meeting>,
}

debug_by_name!([] Waiting<'_>: "Waiting");

impl Future for Waiting<'_> {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        // SAFETY: the one field is never moved out of a pinned future.
        let wait = unsafe { self.map_unchecked_mut(|this| &mut this.wait) };
        let meeting = wait.supply();
        let section = |lock: &KernelLock<'_>| {
            let (here, own) = (meeting.get(lock), wait.demand().0.get(lock));
            if own.get().is_some() {
                return (false, SectionEnd::End);
            }
            own.set(Some(here.round.get()));
            here.arrive()
        };
        if kernel_and_then(section, |round, _pause| release(meeting, round)) {
            return Poll::Ready(true);
        }
        wait.poll(context).map(|()| false)
    }
}

#[cfg(threads)]
impl Sealed for Waiting<'_> {}

/// A thread that holds a resource, or holds interrupts off, panics even if it is the last to
/// arrive. It has not arrived then.
#[cfg(threads)]
impl Operation for Waiting<'_> {
    type Output = bool;
    type Error = TimedOut;

    #[inline]
    fn block(self, _this: &CurrentThread<'_>) -> bool {
        wait(ManuallyDrop::new(self).wait.supply())
    }

    #[cfg(feature = "time")]
    #[inline]
    fn block_until(self, _this: &CurrentThread<'_>, deadline: Instant) -> Result<bool, TimedOut> {
        wait_until(ManuallyDrop::new(self).wait.supply(), deadline)
    }
}

/// Lets the thread arrive, and wait until all have arrived. Returns `true` if the thread was the
/// last.
#[cfg(threads)]
fn wait(meeting: &KernelCell<Meeting>) -> bool {
    arrive_to_wait(meeting).is_none_or(|round| block(meeting, Arrived::in_round(round), |_| false))
}

/// Lets the thread arrive, and wait until all have arrived, at most until `deadline`.
#[cfg(all(threads, feature = "time"))]
fn wait_until(meeting: &KernelCell<Meeting>, deadline: Instant) -> Result<bool, TimedOut> {
    let Some(round) = arrive_to_wait(meeting) else { return Ok(true) };
    match until(meeting, Arrived::in_round(round), deadline, |_| ()) {
        // All have arrived after the time was up, but before the arrival was taken back.
        Err(TimedOut) if kernel(|lock| meeting.get(lock).take_back(round)) => Err(TimedOut),
        _ => Ok(false),
    }
}

/// Arrives, for a thread that then waits. Returns the round, unless the thread was the last.
#[cfg(threads)]
fn arrive_to_wait(meeting: &KernelCell<Meeting>) -> Option<u32> {
    // The arrival counts only after the check whether the thread may wait.
    crate::core::park::check_may_wait();
    let section = |lock: &KernelLock<'_>| {
        let here = meeting.get(lock);
        let round = here.round.get();
        let (is_last, then) = here.arrive();
        ((!is_last).then_some(round), then)
    };
    kernel_and_then(section, |round, _pause| release(meeting, round))
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let wait = &self.wait;
        kernel(|lock| {
            let (meeting, own) = (wait.supply().get(lock), wait.demand().0.get(lock));
            if let Some(round) = own.take() {
                let _is_missing = meeting.take_back(round);
            }
        });
    }
}
