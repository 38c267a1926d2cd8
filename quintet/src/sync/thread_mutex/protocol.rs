//! The two kinds of mutexes of threads, and whether their owners may lock them again.

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
    /// How many guards there are beside the first.
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

/// How a mutex bounds the time for which its owner can be held up. Sealed: there are two.
#[doc(hidden)]
pub trait Protocol: sealed::Sealed {
    /// Takes it, if nobody has it. May fail although nobody has.
    fn try_enter(&self) -> bool;
    /// Takes it, if nobody has it.
    ///
    /// # Errors
    /// Who has it.
    fn enter(&self, lock: &KernelLock<'_>) -> Result<(), &'static ThreadBlock>;
    /// Takes it; waits until nobody has it.
    ///
    /// # Errors
    /// [`Itself`] if the thread has it already.
    fn enter_blocking(&self) -> Result<(), Itself>;
    /// Leaves it.
    fn leave(&self);
    /// Whether the running thread may have it.
    fn admits(&self) -> bool;
    /// Whose it is.
    fn ownership(&self) -> &Ownership;
}

/// For how long a mutex is borrowed by who locks it, at the least: one with inheritance for as long
/// as the guard is there, one with a ceiling for ever.
///
/// A guard that is forgotten doesn't leave its mutex. Who waits for one with inheritance borrows
/// it, and its owner points to it for no longer. One with a ceiling its owner points to until it is
/// left: INVARIANT(held).
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
    fn enter_blocking(&self) -> Result<(), Itself> {
        self.ownership.enter_blocking()
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
    fn enter_blocking(&self) -> Result<(), Itself> {
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

/// Whether the owner of a mutex may lock it again. Sealed: it may, or not.
#[doc(hidden)]
pub trait Recursion: sealed::Sealed {
    /// Whether it may.
    const RECURSIVE: bool;
    /// The owner has one more guard.
    fn deeper(&self);
    /// The owner has one guard less: whether that was the last.
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
    /// Implemented here only.
    pub trait Sealed {}
    impl Sealed for super::Inheritance {}
    impl Sealed for super::Ceiling {}
    impl Sealed for super::Once {}
    impl Sealed for super::Recursive {}
}
