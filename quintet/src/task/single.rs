//! The arguments of one spawn, on their way to a plain task of capacity 1.
//!
//! ```text
//!              put: claim                put: written
//!      FREE ──────────────> WRITING ──────────────────> FULL
//!        ^                                               │
//!        └───────────────────────────────────────────────┘
//!                      take: read, before the task begins
//! ```
//!
//! Takes the bytes of the arguments and one more byte. Both sides always take the same time.

#![expect(unsafe_code, reason = "arguments go from one context to another")]

use ::core::cell::UnsafeCell;
use ::core::mem::MaybeUninit;
use ::core::sync::atomic::AtomicU8;

use crate::arch::words;
use crate::core::claim::claim;

/// The place is free.
const FREE: u8 = 0;
/// A spawn is writing its arguments.
const WRITING: u8 = 1;
/// Arguments wait in the place.
const FULL: u8 = 2;

/// A place for the arguments of one spawn.
pub struct Single<T> {
    /// `FREE`, `WRITING` or `FULL`.
    state: AtomicU8,
    /// The arguments, in state `FULL`.
    value: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: `state` hands the value from the spawn that claimed the place to the level. The arguments
// are `Send`, or don't leave their level, as `put` demands.
unsafe impl<T> Sync for Single<T> {}

impl<T> Single<T> {
    /// A free place.
    #[must_use]
    pub const fn new() -> Self {
        Self { state: AtomicU8::new(FREE), value: UnsafeCell::new(MaybeUninit::uninit()) }
    }

    /// Puts arguments into the place; the caller then wakes the task. From any context.
    ///
    /// # Errors
    /// If other arguments are in the place, or are being written, `value` comes back.
    ///
    /// # Safety
    /// `T` is `Send`, or the caller runs in the level that takes.
    #[inline(always)]
    pub unsafe fn put(&self, value: T) -> Result<(), T> {
        if !claim(&self.state, FREE, WRITING) {
            return Err(value);
        }
        // SAFETY: the claim makes the place the caller's.
        unsafe { (*self.value.get()).write(value) };
        words::put_byte(&self.state, FULL);
        Ok(())
    }

    /// Takes the arguments, if some are in the place. The place is free at once.
    ///
    /// # Safety
    /// From the task's level only, never nested.
    #[inline(always)]
    pub unsafe fn take(&self) -> Option<T> {
        if words::get_byte(&self.state) != FULL {
            return None;
        }
        // SAFETY: arguments are there, and nobody else takes them.
        let value = unsafe { (*self.value.get()).assume_init_read() };
        words::put_byte(&self.state, FREE);
        Some(value)
    }

    /// Whether no arguments are there.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        words::get_byte(&self.state) != FULL
    }
}

impl<T> Default for Single<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::Single;
    use crate::arch::explore::explore;
    use crate::arch::pend;

    /// In any order of puts and takes, arguments that were put are taken exactly once, and refused
    /// arguments come back.
    #[test]
    fn everything_that_is_put_is_taken_once() {
        let runs = explore(|scenario| {
            let single = Rc::new(Single::<Box<u8>>::new());
            let sent = Rc::new(RefCell::new(Vec::new()));
            let taken = Rc::new(RefCell::new(Vec::new()));
            let put = {
                let (single, sent) = (Rc::clone(&single), Rc::clone(&sent));
                // SAFETY: the type is `Send`.
                move |value: u8| match unsafe { single.put(Box::new(value)) } {
                    Ok(()) => {
                        sent.borrow_mut().push(value);
                        pend(1);
                    }
                    Err(back) => assert_eq!(*back, value),
                }
            };
            let (level, seen) = (Rc::clone(&single), Rc::clone(&taken));
            scenario.level(1, 2, move || {
                // SAFETY: the level is the only one that takes, and doesn't nest.
                let value = unsafe { level.take() };
                seen.borrow_mut().extend(value.map(|value| *value));
            });
            for (priority, value) in [(1, 10), (3, 30), (4, 40)] {
                let put = put.clone();
                scenario.interrupt(priority, move || put(value));
            }
            scenario.run(|| put(0));
            let mut sent = sent.take();
            let mut taken = taken.take();
            sent.sort_unstable();
            taken.sort_unstable();
            assert_eq!(sent, taken);
            assert!(single.is_empty());
        });
        assert!(cfg!(miri) || runs > 50, "{runs}");
    }
}
