//! The two kinds of mutexes of threads, and their two forms of recursion.

use ::core::cell::Cell;

use crate::core::lock::KernelLock;
use crate::core::ownership::{Itself, Ownership, WithCeiling};
use crate::core::scheduler::{PRIORITY_MAX, SCHEDULER, ThreadBlock};

/// Priority inheritance.
#[derive(Debug)]
pub struct Inheritance {
    ownership: Ownership,
}

/// An immediate priority ceiling.
#[derive(Debug)]
pub struct Ceiling {
    ownership: WithCeiling,
}

/// A mutex that its owner can't lock again.
#[derive(Debug)]
pub struct Once(());

/// A mutex that its owner may lock again, up to 65 535 times. Two bytes.
#[derive(Debug)]
pub struct Recursive {
    /// The number of guards beside the first.
    more: Cell<u16>,
}

impl Inheritance {
    pub(super) const fn new() -> Self {
        Self { ownership: Ownership::new() }
    }
}

impl Once {
    pub(super) const fn new() -> Self {
        Self(())
    }
}

impl Recursive {
    pub(super) const fn new() -> Self {
        Self { more: Cell::new(0) }
    }
}

impl Ceiling {
    #[track_caller]
    pub(super) const fn new(ceiling: u8) -> Self {
        assert!(
            0 < ceiling && ceiling <= PRIORITY_MAX,
            "a ceiling is a thread's priority: 1 to 31"
        );
        Self { ownership: WithCeiling::new(ceiling) }
    }
}

/// The way in which a mutex bounds the delay of its owner. Sealed: there are two.
#[doc(hidden)]
pub trait Protocol: sealed::Sealed {
    /// Takes the mutex, if it has no owner. May fail even then.
    fn try_enter(&self) -> bool;
    /// Takes the mutex, if it has no owner.
    ///
    /// # Errors
    /// Returns the owner.
    fn enter(&self, lock: &KernelLock<'_>) -> Result<(), &'static ThreadBlock>;
    /// Takes the mutex; waits until it has no owner. Returns `false` if `enter_slowly` does this,
    /// or if the thread has the mutex already.
    fn enter_blocking(&self) -> bool;
    /// Takes the mutex; waits until it has no owner. For a mutex that `enter_blocking` didn't take.
    ///
    /// # Errors
    /// [`Itself`] if the thread has the mutex already.
    fn enter_slowly(&self) -> Result<(), Itself>;
    /// Leaves the mutex.
    fn leave(&self);
    /// Returns `true` if the running thread may have the mutex.
    fn admits(&self) -> bool;
    /// Returns the ownership.
    fn ownership(&self) -> &Ownership;
}

/// The shortest time for which a lock borrows a mutex: with inheritance the time of the guard, with
/// a ceiling for ever.
///
/// A forgotten guard doesn't leave its mutex. A waiter for a mutex with inheritance borrows the
/// mutex, and the owner points to the mutex only for this time. But the owner of a mutex with a
/// ceiling points to the mutex until the owner leaves it: INVARIANT(held).
pub trait LockedFor<'a>: Protocol {}

impl LockedFor<'_> for Inheritance {}
impl LockedFor<'static> for Ceiling {}

impl Protocol for Inheritance {
    #[inline(always)]
    fn try_enter(&self) -> bool {
        self.ownership.try_enter()
    }

    fn enter(&self, lock: &KernelLock<'_>) -> Result<(), &'static ThreadBlock> {
        self.ownership.enter(lock)
    }

    #[inline(always)]
    fn enter_blocking(&self) -> bool {
        if self.ownership.is_mine() {
            return false;
        }
        self.ownership.enter_blocking();
        true
    }

    #[inline(always)]
    fn enter_slowly(&self) -> Result<(), Itself> {
        Err(Itself)
    }

    #[inline(always)]
    fn leave(&self) {
        if !self.ownership.try_leave() {
            self.ownership.leave();
        }
    }

    #[inline(always)]
    fn admits(&self) -> bool {
        true
    }

    #[inline(always)]
    fn ownership(&self) -> &Ownership {
        &self.ownership
    }
}

impl Protocol for Ceiling {
    #[inline(always)]
    fn try_enter(&self) -> bool {
        self.ownership.try_enter()
    }

    #[inline(always)]
    fn enter(&self, lock: &KernelLock<'_>) -> Result<(), &'static ThreadBlock> {
        self.ownership.enter(lock)
    }

    #[inline(always)]
    fn enter_blocking(&self) -> bool {
        false
    }

    #[inline(always)]
    fn enter_slowly(&self) -> Result<(), Itself> {
        self.ownership.enter_blocking()
    }

    #[inline(always)]
    fn leave(&self) {
        self.ownership.leave();
    }

    #[inline(always)]
    fn admits(&self) -> bool {
        SCHEDULER.running().own_base() <= self.ownership.ceiling()
    }

    #[inline(always)]
    fn ownership(&self) -> &Ownership {
        self.ownership.ownership()
    }
}

/// Says whether the owner of a mutex may lock it again. Sealed.
#[doc(hidden)]
pub trait Recursion: sealed::Sealed {
    /// `true` if the owner may lock the mutex again.
    const RECURSIVE: bool;
    /// Counts one more guard of the owner.
    fn deeper(&self);
    /// Counts one guard less of the owner. Returns `true` if that was the last.
    fn leave_one(&self) -> bool;
}

impl Recursion for Once {
    const RECURSIVE: bool = false;

    fn deeper(&self) {}

    #[inline(always)]
    fn leave_one(&self) -> bool {
        true
    }
}

impl Recursion for Recursive {
    const RECURSIVE: bool = true;

    fn deeper(&self) {
        let Some(more) = self.more.get().checked_add(1) else { too_deep() };
        self.more.set(more);
    }

    #[inline(always)]
    fn leave_one(&self) -> bool {
        let Some(less) = self.more.get().checked_sub(1) else { return true };
        self.more.set(less);
        false
    }
}

#[cold]
#[inline(never)]
fn too_deep() -> ! {
    panic!(
        "thread `{}`: a mutex was locked more than 65 536 times by its owner: drop its guards",
        SCHEDULER.name()
    )
}

mod sealed {
    /// Implemented only here.
    pub trait Sealed {}
    impl Sealed for super::Inheritance {}
    impl Sealed for super::Ceiling {}
    impl Sealed for super::Once {}
    impl Sealed for super::Recursive {}
}
