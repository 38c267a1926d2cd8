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
use ::core::pin::Pin;
use ::core::ptr::NonNull;
use ::core::task::{Context, Poll, Waker};

use crate::core::guarded::Guarded;
use crate::core::list::{Linked, Search, State, WaitList, Waiter};
use crate::core::lock::{Kernel, kernel};
use crate::core::wake::{Wakee, adopt};

#[cfg(threads)]
pub use blocking::{block, block_for, block_for_token, look_or_block};

#[cfg(threads)]
mod blocking;

pub use part::{Part, WaitFor};

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
    fn take(&self, lock: &Kernel<'_>, demand: &Self::Demand) -> bool;

    /// Takes back what was granted to a waiter that was dropped, and hands it to the next.
    fn give_back(this: &Guarded<Self>, demand: &Self::Demand)
    where
        Self: Sized;
}

/// Waits for `supply` to grant what is wanted.
///
/// # Cancel safety
/// Dropping it gives up the place in the list. What was already granted goes to the next.
#[must_use = "nothing waits until it is awaited"]
pub struct Wait<'a, S: Supply> {
    /// Made of a reference that lives as long as this.
    supply: NonNull<Guarded<S>>,
    waiter: Waiter<S::Demand>,
    reference: PhantomData<&'a Guarded<S>>,
}

// SAFETY: it is a reference and a waiter.
unsafe impl<'a, S: Supply> Send for Wait<'a, S>
where
    &'a Guarded<S>: Send,
    Waiter<S::Demand>: Send,
{
}
// SAFETY: the same.
unsafe impl<'a, S: Supply> Sync for Wait<'a, S>
where
    &'a Guarded<S>: Sync,
    Waiter<S::Demand>: Sync,
{
}

/// What became of a waiter that is polled with another waker.
enum Renewed {
    /// It was granted what it waits for, or keeps its place.
    Kept(Poll<()>),
    /// It lost its place, as its priority is another; the new wakee.
    Unlinked(Wakee),
}

impl<'a, S: Supply> Wait<'a, S> {
    /// Does nothing until it is polled.
    #[inline]
    pub const fn new(supply: &'a Guarded<S>, demand: S::Demand) -> Self {
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
    pub const fn supply(&self) -> &'a Guarded<S> {
        // SAFETY: it was made of such a reference.
        unsafe { self.supply.as_ref() }
    }

    /// Whether it neither waits nor has been granted anything.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.waiter.is_idle()
    }

    /// Whether it has been granted what it wants, which counts as seen then. Needs no lock.
    #[inline(always)]
    #[must_use]
    pub fn take_grant(&self) -> bool {
        self.waiter.take_grant()
    }

    /// As [`poll`](Future::poll), for a future that has just looked itself if this one is idle: it
    /// needs no look of its own.
    #[inline(always)]
    pub fn wait(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.waiter.take_grant() {
            return Poll::Ready(());
        }
        self.as_ref().register(context.waker())
    }

    /// Enters the list, or takes the new waker. Apart from `poll`, so that what is there at once
    /// needs no frame.
    #[inline(never)]
    fn register(self: Pin<&Self>, waker: &Waker) -> Poll<()> {
        if !self.waiter.is_idle() && kernel(|lock| self.keeps(lock, waker)) {
            return Poll::Pending;
        }
        let (mut wakee, priority) = adopt(waker);
        if !self.waiter.is_idle() {
            match self.renew(wakee, priority) {
                Renewed::Kept(poll) => return poll,
                Renewed::Unlinked(given_back) => wakee = given_back,
            }
        }
        self.enter(wakee, priority)
    }

    /// Whether it waits with this waker already.
    #[inline(always)]
    fn keeps(&self, lock: &Kernel<'_>, waker: &Waker) -> bool {
        // SAFETY: it is linked.
        self.waiter.state(lock) == State::Linked && unsafe { self.waiter.will_wake(lock, waker) }
    }

    /// Enters the list, unless what is wanted has come since the first look.
    fn enter(self: Pin<&Self>, wakee: Wakee, priority: u8) -> Poll<()> {
        // SAFETY: the waiter is idle; it is linked below, or the wakee is taken back.
        unsafe { self.waiter.prepare(wakee, priority) };
        // SAFETY: the waiter is part of a pinned value.
        let waiter = unsafe { self.map_unchecked(|wait| &wait.waiter) };
        let supply = self.supply();
        let mut linked = kernel(|lock| {
            let supply = supply.get(lock);
            if supply.take(lock, waiter.demand()) {
                return None;
            }
            // SAFETY: it is idle, prepared and pinned, and `drop` takes it out of the same list.
            Some(unsafe { supply.waiters().link_alone(lock, waiter) })
        });
        if linked == Some(Linked::Again) {
            // SAFETY: as above.
            linked = unsafe { seek(supply, waiter, priority) };
        }
        if linked.is_some() {
            return Poll::Pending;
        }
        // SAFETY: it is still idle, and prepared above.
        drop(unsafe { waiter.take_back() }.into_waker());
        Poll::Ready(())
    }

    /// Takes the new wakee while it is linked. Gives it back if the waiter has to enter anew.
    #[inline(always)]
    fn renew(&self, mut wakee: Wakee, priority: u8) -> Renewed {
        let (granted, before) = kernel(|lock| {
            if self.waiter.state(lock) != State::Linked {
                self.waiter.taken(lock);
                (true, None)
            } else if self.waiter.priority(lock) == priority {
                // SAFETY: it is linked. The wakee that it had is dropped below.
                unsafe { self.waiter.swap_wakee(lock, &mut wakee) };
                (false, None)
            } else {
                let waiters = self.supply().get(lock).waiters();
                // SAFETY: linked by `enter`, in the same list.
                (false, Some(unsafe { waiters.unlink(lock, &self.waiter) }))
            }
        });
        if let Some(before) = before {
            drop(before.into_waker());
            return Renewed::Unlinked(wakee);
        }
        // The new one, or the one that it has replaced.
        drop(wakee.into_waker());
        Renewed::Kept(if granted { Poll::Ready(()) } else { Poll::Pending })
    }
}

impl<S: Supply> Future for Wait<'_, S> {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.as_ref();
        let take = |lock: &Kernel<'_>| this.supply().get(lock).take(lock, this.waiter.demand());
        if this.waiter.take_grant() || (this.waiter.is_idle() && kernel(take)) {
            return Poll::Ready(());
        }
        this.register(context.waker())
    }
}

impl<S: Supply> Drop for Wait<'_, S> {
    #[inline]
    fn drop(&mut self) {
        if !self.waiter.is_idle() {
            leave(self.supply(), &self.waiter);
        }
    }
}

/// Enters the list at a place that has to be searched for, unless what is wanted comes before it is
/// found: then none. Apart from the rest, so that what is kept in registers for the search costs
/// nothing where there is none.
///
/// # Safety
/// As for [`WaitList::link`].
#[inline(never)]
unsafe fn seek<S: Supply>(
    supply: &Guarded<S>,
    waiter: Pin<&Waiter<S::Demand>>,
    priority: u8,
) -> Option<Linked> {
    let mut search = Search::new();
    loop {
        let linked = kernel(|lock| {
            let supply = supply.get(lock);
            if supply.take(lock, waiter.demand()) {
                return None;
            }
            // SAFETY: the caller's.
            Some(unsafe { supply.waiters().link(lock, waiter, priority, &mut search) })
        });
        if linked != Some(Linked::Again) {
            return linked;
        }
    }
}

/// Takes a waiter out that is dropped before it has seen a grant. Apart from `drop`, which every
/// wait ends with: most have seen theirs.
#[cold]
#[inline(never)]
fn leave<S: Supply>(supply: &Guarded<S>, waiter: &Waiter<S::Demand>) {
    // Dropped with the lock released.
    let (granted, wakee) = kernel(|lock| {
        if waiter.state(lock) != State::Linked {
            return (true, None);
        }
        // SAFETY: linked by `enter`, in the same list.
        (false, Some(unsafe { supply.get(lock).waiters().unlink(lock, waiter) }))
    });
    drop(wakee.and_then(Wakee::into_waker));
    if granted {
        S::give_back(supply, waiter.demand());
    }
}
