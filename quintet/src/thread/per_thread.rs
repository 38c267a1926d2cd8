//! A value for each of several threads. Any function that a thread calls finds the thread's value.

#![expect(unsafe_code, reason = "each thread reaches one of several values")]

use ::core::cell::UnsafeCell;
use ::core::fmt;

use super::Thread;
use crate::arch::switch;
use crate::core::scheduler::SCHEDULER;

/// A value for each of `N` threads: in any function, [`get`](Self::get) returns the value of the
/// running thread.
///
/// First consider a `local` resource, or a variable of the thread's function, which costs nothing
/// and which you hand on as an argument. Use `PerThread` where you can't hand on an argument: for a
/// value that a library keeps for each calling thread, such as `errno`. You list the threads at the
/// values, so that a thread has no room for values that it doesn't use. To change a value, put a
/// [`Cell`](::core::cell::Cell) into it. The value stays when its thread ends, and is still there
/// when the thread starts again.
///
/// ```
/// use core::cell::Cell;
/// use quintet::thread::{PerThread, CurrentThread};
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
/// fn reader(_this: &CurrentThread<'_>) {
///     note_failure();
/// }
/// # fn writer(_this: &CurrentThread<'_>) {}
/// # note_failure();
/// ```
///
/// In an application the threads are `reader::handle()` and `writer::handle()`.
///
/// # Cost
/// A word for each thread beside the values. `get` takes a comparison for each thread that is
/// earlier in the list.
pub struct PerThread<T, const N: usize> {
    owners: [&'static Thread; N],
    /// INVARIANT(own-value): only the owner of a value reaches the value.
    values: UnsafeCell<[T; N]>,
}

// SAFETY: INVARIANT(own-value): each thread has another value, for which `T: Send` is enough.
unsafe impl<T: Send, const N: usize> Sync for PerThread<T, N> {}

impl<T, const N: usize> PerThread<T, N> {
    /// Makes the values of these threads, in the same order. If you list a thread twice, it gets
    /// the first value.
    #[must_use]
    pub const fn new(owners: [&'static Thread; N], values: [T; N]) -> Self {
        Self { owners, values: UnsafeCell::new(values) }
    }

    /// Returns the value of the running thread. Returns `None` in a thread that isn't listed, in
    /// `main` or `idle`, and in interrupts, even if the interrupted thread is listed. From any
    /// context.
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
