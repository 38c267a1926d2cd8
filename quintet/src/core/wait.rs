//! Waiting: the future that the futures of all synchronisation objects contain.
//!
//! An object is a [`Supply`]: code asks the supply for something under the kernel's lock, and the
//! supply has a list of the waiters. Something that becomes available is *handed over*: the giver
//! takes the first waiter out of the list and marks the waiter as granted, so that no later caller
//! can take the grant away. If a granted waiter is dropped before its owner has seen the grant, the
//! grant goes back to the object, which hands the grant to the next waiter. Nothing is lost and
//! nothing is taken twice.
//!
//! Wakers are cloned, dropped and woken with the lock released. Wakers of the application's own
//! levels own nothing, and are copied.
//!
//! A thread waits for the same objects, in the same lists. If [`block`] finds nothing, it links the
//! thread and switches to another thread in the same section.

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

/// An object, or a part of an object, that can be waited for.
///
/// # Safety
/// `waiters` always returns the same list, and only [`Wait`] links the waiters of this list.
pub unsafe trait Supply {
    /// The type of a waiter's demand.
    type Demand;

    /// Returns the list of the waiters.
    fn waiters(&self) -> &WaitList<Self::Demand>;

    /// Takes the demand, if it is available and belongs to no other waiter. A few instructions.
    fn take(&self, lock: &KernelLock<'_>, demand: &Self::Demand) -> bool;

    /// Takes back the grant of a waiter that was dropped, and hands the grant to the next waiter.
    fn give_back(this: &KernelCell<Self>, demand: &Self::Demand)
    where
        Self: Sized;

    /// Hands on the things for which others waited only because this waiter was before them. The
    /// waiter's time was up, and it is out of the list. From every context that the kernel knows
    /// of, with the lock released.
    #[cfg(all(threads, feature = "time"))]
    #[inline(always)]
    fn gave_up(_this: &KernelCell<Self>, _demand: &Self::Demand)
    where
        Self: Sized,
    {
    }
}

/// Waits for `supply` to grant a demand.
///
/// # Cancel safety
/// If you drop the future, it gives up its place in the list. A grant that it already has goes to
/// the next waiter.
#[must_use = "nothing waits until it is awaited"]
#[repr(C)]
pub struct Wait<'a, S: Supply> {
    /// The first field, so that one address serves for both.
    waiter: Waiter<S::Demand>,
    /// Made from a reference that lives as long as this future.
    supply: NonNull<KernelCell<S>>,
    reference: PhantomData<&'a KernelCell<S>>,
}

// SAFETY: the future is a reference and a waiter.
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

/// The state of a waiter that is polled again.
enum Renewed {
    /// The waiter keeps its place.
    Kept,
    /// The waiter was granted its demand.
    Granted,
    /// The waiter is out of the list. It was not in the list, or its place has changed with its
    /// priority.
    Out,
}

impl<'a, S: Supply> Wait<'a, S> {
    /// Makes a future that does nothing until you poll it.
    #[inline]
    pub const fn new(supply: &'a KernelCell<S>, demand: S::Demand) -> Self {
        let waiter = Waiter::new(demand);
        Self { supply: NonNull::from_ref(supply), waiter, reference: PhantomData }
    }

    /// Returns the demand.
    #[inline]
    pub const fn demand(&self) -> &S::Demand {
        self.waiter.demand()
    }

    /// Returns the supply.
    #[inline]
    pub const fn supply(&self) -> &'a KernelCell<S> {
        // SAFETY: the pointer was made from such a reference.
        unsafe { self.supply.as_ref() }
    }

    /// Returns the supply of a future that has not been polled: a polled future is pinned.
    #[cfg(threads)]
    #[inline(always)]
    pub const fn into_supply(self) -> &'a KernelCell<S> {
        let supply = self.supply();
        forget(self);
        supply
    }

    /// Returns `true` if the future neither waits nor has been granted anything.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        !self.waiter.has_entered()
    }

    /// Returns `true` if the demand was granted, and notes that the owner has seen this. Needs no
    /// lock.
    #[inline(always)]
    #[must_use]
    pub fn take_grant(&self) -> bool {
        let granted = self.waiter.take_grant();
        if granted {
            self.waiter.set_entered(false);
        }
        granted
    }

    /// As [`poll`](Future::poll), for an object's future that has just looked at the supply itself,
    /// if this future is idle: this future then doesn't look again.
    #[inline(always)]
    pub fn wait(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.take_grant() {
            return Poll::Ready(());
        }
        self.wait_on(context.waker())
    }

    /// As [`wait`](Self::wait), for a future that has seen no grant.
    #[inline(always)]
    pub fn wait_on(self: Pin<&mut Self>, waker: &Waker) -> Poll<()> {
        let poll = self.as_ref().register(waker);
        if poll.is_ready() {
            // SAFETY: the grant belongs to the caller.
            unsafe { self.ended() };
        }
        poll
    }

    /// Notes again that the future is idle. If the future is dropped as soon as it is ready, the
    /// compiler then removes the drop code.
    ///
    /// # Safety
    /// The future is idle.
    #[inline(always)]
    pub unsafe fn ended(&self) {
        self.waiter.set_entered(false);
    }

    /// Gives up the place in the list. Returns `true` if the demand had been granted; the grant
    /// then belongs to the caller.
    #[inline(always)]
    #[must_use]
    pub fn give_up(&self) -> bool {
        let granted = !self.is_idle() && self.withdraw();
        self.waiter.set_entered(false);
        granted
    }

    /// Enters the list, or takes the new waker. Separate from `poll`, so that `poll` needs no frame
    /// if the demand is available at once.
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

    /// Takes the new wake target, and leaves the replaced target in `target`, if the waiter is
    /// linked at the place of its priority.
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
                // SAFETY: the waiter is linked. The caller drops the old wake target.
                unsafe { self.waiter.swap_target(lock, target) };
                Renewed::Kept
            })
        });
        renewed.unwrap_or_else(|| if self.withdraw() { Renewed::Granted } else { Renewed::Out })
    }

    /// Enters the list. If the demand has become available since the first look, takes it instead
    /// and returns the wake target.
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
                // SAFETY: the waiter is still idle, and was prepared above.
                None => return Some(unsafe { waiter.take_back() }),
            }
        }
    }

    /// Takes the waiter out of the list. Returns `true` if the demand had been granted before. A
    /// separate function for rare cases: most waits have seen their grant when they end.
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

    /// Gives up the place in the list, or the grant.
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
