//! Waiting: the one future that every synchronisation object's futures are made of.
//!
//! An object is a [`Supply`]: it can be asked for something under the kernel's lock, and keeps a
//! list of those who wait. What becomes available is *handed over*: the giver takes the first
//! waiter out of the list and marks it granted, so nobody who comes later can take it away. If a
//! granted waiter is dropped before it has seen that, the grant goes back to the object, which
//! hands it to the next: nothing is lost and nothing is taken twice.
//!
//! Wakers are cloned, dropped and woken with the lock released. Those of the application's own
//! levels own nothing, and are copied.
//!
//! A thread waits for the same objects, in the same lists: [`block`] links it, and switches to
//! another thread in the section in which it found nothing.

#![expect(unsafe_code, reason = "waiters are linked through pointers")]

use ::core::future::Future;
use ::core::marker::PhantomData;
#[cfg(threads)]
use ::core::mem::forget;
use ::core::pin::Pin;
use ::core::ptr::NonNull;
use ::core::task::{Context, Poll, Waker};

use crate::core::kernel_cell::KernelCell;
use crate::core::list::{Linked, Searcher, State, WaitList, Waiter};
use crate::core::lock::{self, KernelLock, kernel};
use crate::core::record::WakeTarget;

#[cfg(threads)]
pub use blocking::{block, block_for, block_for_token, block_here};

#[cfg(threads)]
mod blocking;

pub use adopt::adopt;
pub use part::{Part, WaitFor};

mod adopt;
mod part;

/// What can be waited for.
///
/// # Safety
/// `waiters` returns the same list whenever it is called, whose waiters are linked by [`Wait`]
/// only.
pub unsafe trait Supply {
    /// What exactly a waiter wants.
    type Demand;

    /// Those who wait.
    fn waiters(&self) -> &WaitList<Self::Demand>;

    /// Takes what is wanted, if it is there and nobody else's. A few instructions.
    fn take(&self, lock: &KernelLock<'_>, demand: &Self::Demand) -> bool;

    /// Takes back what was granted to a waiter that was dropped, and hands it to the next.
    fn give_back(this: &KernelCell<Self>, demand: &Self::Demand)
    where
        Self: Sized;

    /// Hands on what others waited for only because this one was before them: its time was up, and
    /// it is out of the list. From every context that the kernel knows of, with the lock released.
    #[cfg(all(threads, feature = "time"))]
    #[inline(always)]
    fn gave_up(_this: &KernelCell<Self>, _demand: &Self::Demand)
    where
        Self: Sized,
    {
    }
}

/// Waits for `supply` to grant what is wanted.
///
/// # Cancel safety
/// Dropping it gives up the place in the list. What was already granted goes to the next.
#[must_use = "nothing waits until it is awaited"]
#[repr(C)]
pub struct Wait<'a, S: Supply> {
    /// First: one address does for both.
    waiter: Waiter<S::Demand>,
    /// Made of a reference that lives as long as this.
    supply: NonNull<KernelCell<S>>,
    reference: PhantomData<&'a KernelCell<S>>,
}

// SAFETY: it is a reference and a waiter.
unsafe impl<'a, S: Supply> Send for Wait<'a, S>
where
    &'a KernelCell<S>: Send,
    Waiter<S::Demand>: Send,
{
}
// SAFETY: the same.
unsafe impl<'a, S: Supply> Sync for Wait<'a, S>
where
    &'a KernelCell<S>: Sync,
    Waiter<S::Demand>: Sync,
{
}

/// How a waiter stands that is polled again.
enum Renewed {
    /// It keeps its place.
    Kept,
    /// It has been granted what it waits for.
    Granted,
    /// It is out of the list: it wasn't there, or its place is another, as its priority is.
    Out,
}

impl<'a, S: Supply> Wait<'a, S> {
    /// Does nothing until it is polled.
    #[inline]
    pub const fn new(supply: &'a KernelCell<S>, demand: S::Demand) -> Self {
        let waiter = Waiter::new(demand);
        Self { supply: NonNull::from_ref(supply), waiter, reference: PhantomData }
    }

    /// What is wanted.
    #[inline]
    pub const fn demand(&self) -> &S::Demand {
        self.waiter.demand()
    }

    /// What it waits for.
    #[inline]
    pub const fn supply(&self) -> &'a KernelCell<S> {
        // SAFETY: it was made of such a reference.
        unsafe { self.supply.as_ref() }
    }

    /// What it would wait for, of one that has not been polled: one that has is pinned.
    #[cfg(threads)]
    #[inline(always)]
    pub const fn into_supply(self) -> &'a KernelCell<S> {
        let supply = self.supply();
        forget(self);
        supply
    }

    /// Whether it neither waits nor has been granted anything.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        !self.waiter.has_entered()
    }

    /// Whether it has been granted what it wants, which counts as seen then. Needs no lock.
    #[inline(always)]
    #[must_use]
    pub fn take_grant(&self) -> bool {
        let granted = self.waiter.take_grant();
        if granted {
            self.waiter.set_entered(false);
        }
        granted
    }

    /// As [`poll`](Future::poll), for a future that has just looked itself if this one is idle: it
    /// needs no look of its own.
    #[inline(always)]
    pub fn wait(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.take_grant() {
            return Poll::Ready(());
        }
        self.wait_on(context.waker())
    }

    /// The same for one that has seen no grant.
    #[inline(always)]
    pub fn wait_on(self: Pin<&mut Self>, waker: &Waker) -> Poll<()> {
        let poll = self.as_ref().register(waker);
        if poll.is_ready() {
            // SAFETY: what it waited for is the caller's.
            unsafe { self.ended() };
        }
        poll
    }

    /// Says again that it is idle: where it is dropped as soon as it is ready, nothing is left of
    /// that then.
    ///
    /// # Safety
    /// It is.
    #[inline(always)]
    pub unsafe fn ended(&self) {
        self.waiter.set_entered(false);
    }

    /// Gives up the place in the list. Whether it had been granted what it wants, which is the
    /// caller's then.
    #[inline(always)]
    #[must_use]
    pub fn give_up(&self) -> bool {
        let granted = !self.is_idle() && self.withdraw();
        self.waiter.set_entered(false);
        granted
    }

    /// Enters the list, or takes the new waker. Apart from `poll`, so that what is there at once
    /// needs no frame.
    #[inline(never)]
    fn register(self: Pin<&Self>, waker: &Waker) -> Poll<()> {
        let (mut target, priority) = adopt(waker);
        let poll = match self.renew(&mut target, priority) {
            Renewed::Kept => Poll::Pending,
            Renewed::Granted => {
                self.waiter.saw_grant();
                Poll::Ready(())
            }
            Renewed::Out => match self.enter(target, priority) {
                Some(given_back) => {
                    target = given_back;
                    Poll::Ready(())
                }
                None => return Poll::Pending,
            },
        };
        self.waiter.set_entered(poll.is_pending());
        // The waker that isn't needed, or was replaced.
        drop(target.into_waker());
        poll
    }

    /// Takes the new wake target, and leaves the one that it replaces, while it is linked at the
    /// place of its priority.
    #[inline(always)]
    fn renew(&self, target: &mut WakeTarget, priority: u8) -> Renewed {
        if self.is_idle() {
            return Renewed::Out;
        }
        let renewed = kernel(|lock| {
            if self.waiter.state(lock) != State::Linked {
                return Some(Renewed::Granted);
            }
            (self.waiter.priority(lock) == priority).then(|| {
                // SAFETY: it is linked. The wake target that it had is dropped by the caller.
                unsafe { self.waiter.swap_target(lock, target) };
                Renewed::Kept
            })
        });
        renewed.unwrap_or_else(|| if self.withdraw() { Renewed::Granted } else { Renewed::Out })
    }

    /// Enters the list, which it is out of, unless what is wanted has come since the first look:
    /// then the wake target comes back.
    #[inline(always)]
    fn enter(self: Pin<&Self>, target: WakeTarget, priority: u8) -> Option<WakeTarget> {
        // SAFETY: the waiter is idle; it is linked below, or the wake target is taken back.
        unsafe { self.waiter.prepare(target, priority) };
        self.waiter.set_entered(true);
        // SAFETY: the waiter is part of a pinned value.
        let waiter = unsafe { self.map_unchecked(|wait| &wait.waiter) };
        let (supply, searcher) = (self.supply(), Searcher::at_hand());
        loop {
            let linked = kernel(|lock| {
                let supply = supply.get(lock);
                if supply.take(lock, waiter.demand()) {
                    return None;
                }
                // SAFETY: it is idle, prepared and pinned, and `drop` takes it out of the same
                // list.
                Some(unsafe { supply.waiters().link(lock, waiter, priority, searcher) })
            });
            match linked {
                Some(Linked::Done) => return None,
                Some(Linked::Again) => lock::take_pending_interrupts(),
                // SAFETY: it is still idle, and prepared above.
                None => return Some(unsafe { waiter.take_back() }),
            }
        }
    }

    /// Takes the waiter out of the list. Whether it was granted what it wants before. For what
    /// happens rarely: most waits have seen their grant when they end.
    #[cold]
    #[inline(never)]
    fn withdraw(&self) -> bool {
        let (granted, target) = kernel(|lock| {
            if self.waiter.state(lock) != State::Linked {
                return (true, None);
            }
            let waiters = self.supply().get(lock).waiters();
            // SAFETY: linked by `enter`, in the same list.
            (false, Some(unsafe { waiters.unlink(lock, &self.waiter) }))
        });
        // With the lock released.
        drop(target.and_then(WakeTarget::into_waker));
        granted
    }

    /// Gives up the place in the list, or what was granted.
    #[cold]
    #[inline(never)]
    fn leave(&self) {
        if self.withdraw() {
            S::give_back(self.supply(), self.waiter.demand());
        }
    }
}

impl<S: Supply> Future for Wait<'_, S> {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.as_ref();
        let take = |lock: &KernelLock<'_>| this.supply().get(lock).take(lock, this.waiter.demand());
        if this.take_grant() || (this.is_idle() && kernel(take)) {
            return Poll::Ready(());
        }
        self.wait_on(context.waker())
    }
}

impl<S: Supply> Drop for Wait<'_, S> {
    #[inline]
    fn drop(&mut self) {
        if !self.is_idle() {
            self.leave();
        }
    }
}
