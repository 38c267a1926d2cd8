//! A value for each of several threads, which any function that a thread calls finds.

#![expect(unsafe_code, reason = "each thread reaches one of several values")]

use ::core::cell::UnsafeCell;
use ::core::fmt;

use super::Thread;
use crate::arch::switch;
use crate::core::scheduler::SCHEDULER;

/// A value for each of `N` threads: in every function, [`get`](Self::get) finds the one of the
/// thread that runs.
///
/// A `local` resource, or a variable of the thread's function, costs nothing and is handed on as an
/// argument. This is for where that can't be: for what a library keeps for whoever calls it, as
/// `errno` is. The threads are named where the values are, so no thread has room for what it
/// doesn't use. To change a value, put a [`Cell`](::core::cell::Cell) into it. It stays when its
/// thread ends, and is there when that starts again.
///
/// ```
/// use core::cell::Cell;
/// use quintet::thread::{PerThread, This};
///
/// quintet::thread!(static READER, priority = 3, stack = 1024, entry = reader);
/// quintet::thread!(static WRITER, priority = 2, stack = 1024, entry = writer);
///
/// /// How often the present thread has failed.
/// static FAILURES: PerThread<Cell<u32>, 2> =
///     PerThread::new([&READER, &WRITER], [Cell::new(0), Cell::new(0)]);
///
/// fn note_failure() {
///     if let Some(failures) = FAILURES.get() {
///         failures.set(failures.get() + 1);
///     }
/// }
///
/// fn reader(_this: &This<'_>) {
///     note_failure();
/// }
/// # fn writer(_this: &This<'_>) {}
/// # note_failure();
/// ```
///
/// In an application the threads are `reader::handle()` and `writer::handle()`.
///
/// # Cost
/// A word for each thread beside the values; finding one takes a comparison for each thread before
/// it in the list.
pub struct PerThread<T, const N: usize> {
    owners: [&'static Thread; N],
    /// INVARIANT(own-value): a value is reached by its owner only.
    values: UnsafeCell<[T; N]>,
}

// SAFETY: INVARIANT(own-value): each thread has another value, for which `T: Send` is enough.
unsafe impl<T: Send, const N: usize> Sync for PerThread<T, N> {}

impl<T, const N: usize> PerThread<T, N> {
    /// The values of these threads, in the same order. Of one that is named twice, the first.
    #[must_use]
    pub const fn new(owners: [&'static Thread; N], values: [T; N]) -> Self {
        Self { owners, values: UnsafeCell::new(values) }
    }

    /// The value of the thread that runs this. None in another thread, in `main` or `idle`, and in
    /// interrupts, also those that came while one of the threads ran. From any context.
    #[inline]
    #[must_use]
    pub fn get(&self) -> Option<&T> {
        if switch::in_handler() {
            return None;
        }
        let index = self.owners.iter().position(|owner| SCHEDULER.runs(owner.control()))?;
        // SAFETY: INVARIANT(own-value): this is the owner, and no handler. Who has the reference
        // can't hand it to another context, unless values may be shared.
        Some(unsafe { &*self.values.get().cast::<T>().add(index) })
    }
}

impl<T, const N: usize> fmt::Debug for PerThread<T, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.owners.iter().map(|owner| owner.name());
        formatter.debug_list().entries(names).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::ptr;

    use super::PerThread;
    use crate::core::scheduler::tests::{alone, begin, block, selected, thread};
    use crate::thread::Thread;

    #[test]
    fn each_thread_finds_its_own_value_and_no_other() {
        alone(|| {
            let controls = [3, 2, 1].map(thread);
            // SAFETY: a thread is its control block, and nothing else.
            let [first, second, _] =
                controls.map(|control| unsafe { &*ptr::from_ref(control).cast::<Thread>() });
            let local = PerThread::new([first, second], [Cell::new(10), Cell::new(20)]);
            assert!(local.get().is_none(), "idle has none");
            for (control, expected) in controls.into_iter().zip([Some(10), Some(20), None]) {
                begin(control);
                assert!(ptr::eq(selected(), control));
                assert_eq!(local.get().map(Cell::get), expected);
                if let Some(value) = local.get() {
                    value.set(value.get() + 1);
                }
                block();
            }
            begin(controls[1]);
            assert!(ptr::eq(selected(), controls[1]));
            assert_eq!(local.get().map(Cell::get), Some(21), "as it was left");
            block();
        });
    }
}
