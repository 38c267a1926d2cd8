//! Waits for a part of an object: a future that has one reference, to the part, and computes the
//! address of the object.

#![expect(unsafe_code, reason = "the whole is reached by a part of it")]

use ::core::marker::PhantomData;
#[cfg(threads)]
use ::core::mem::forget;
use ::core::pin::Pin;
use ::core::ptr::NonNull;

use super::{Supply, Wait};
use crate::core::list::Waiter;

/// A supply that is part of an object, whose address follows from the supply's.
///
/// # Safety
/// An object of the type `Whole` has its `Supply` at the `OFFSET`.
pub unsafe trait Part {
    /// The object.
    type Whole;

    /// The part that can be waited for.
    type Supply: Supply;

    /// The offset of the part in the object, in bytes.
    const OFFSET: usize;
}

/// As [`Wait`], for a part of an object.
#[must_use = "nothing waits until it is awaited"]
pub struct WaitFor<'a, P: Part> {
    wait: Wait<'a, P::Supply>,
    whole: PhantomData<&'a P::Whole>,
}

impl<'a, P: Part> WaitFor<'a, P> {
    /// Makes a future that does nothing until you poll it.
    #[inline]
    pub const fn new(whole: &'a P::Whole, demand: <P::Supply as Supply>::Demand) -> Self {
        // SAFETY: by the trait's promise, the supply is there, and lives as long as the whole.
        let supply = unsafe { NonNull::from_ref(whole).byte_add(P::OFFSET).cast() };
        let wait = Wait { supply, waiter: Waiter::new(demand), reference: PhantomData };
        Self { wait, whole: PhantomData }
    }

    /// Returns the object.
    #[inline(always)]
    pub const fn whole(&self) -> &'a P::Whole {
        // SAFETY: made in `new` from a reference to the whole.
        unsafe { self.wait.supply.byte_sub(P::OFFSET).cast().as_ref() }
    }

    /// Returns the object of a future that has not been polled: a polled future is pinned.
    #[cfg(threads)]
    #[inline(always)]
    pub const fn into_whole(self) -> &'a P::Whole {
        let whole = self.whole();
        forget(self);
        whole
    }

    /// Returns the inner future.
    #[inline(always)]
    pub fn wait(self: Pin<&mut Self>) -> Pin<&mut Wait<'a, P::Supply>> {
        // SAFETY: the inner future is never moved out of `self`.
        unsafe { self.map_unchecked_mut(|this| &mut this.wait) }
    }

    /// As [`Wait::is_idle`].
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.wait.is_idle()
    }

    /// As [`Wait::take_grant`].
    #[inline(always)]
    #[must_use]
    pub fn take_grant(&self) -> bool {
        self.wait.take_grant()
    }

    /// As [`Wait::ended`].
    ///
    /// # Safety
    /// The future is idle.
    #[inline(always)]
    pub unsafe fn ended(&self) {
        // SAFETY: the caller's.
        unsafe { self.wait.ended() };
    }
}
