//! Polling: the timers of threads that run futures.
//!
//! A request for a wake at a time comes with only a waker, which may be a clone of the thread's own
//! waker. So the kernel looks for the timer among those of all threads that run a future now. Only
//! threads change this list. Switches are held off meanwhile, but interrupts are not.

#![expect(unsafe_code, reason = "timers lie on stacks, and are linked")]

use ::core::cell::Cell;
use ::core::ptr;
use ::core::task::Waker;

use super::thread_of;
use crate::arch::switch;
use crate::core::lock::kernel;
use crate::core::scheduler::{SCHEDULER, ThreadBlock};
use crate::core::section::{SectionEnd, kernel_and_then};
use crate::core::timer::Node;

/// A thread that runs a future, and the thread's timer. Lies on the thread's stack.
pub struct Polling {
    control: &'static ThreadBlock,
    timer: Node,
    /// The record that began before this one.
    next: Cell<*const Self>,
}

/// The record that began last.
struct First(Cell<*const Polling>);

// SAFETY: only threads touch the list, one at a time: under the kernel's lock, or with switches
// held off.
unsafe impl Sync for First {}

static FIRST: First = First(Cell::new(ptr::null()));

impl Polling {
    /// Makes the record of the thread `control`.
    #[must_use]
    pub const fn new(control: &'static ThreadBlock) -> Self {
        Self { control, timer: Node::new(0), next: Cell::new(ptr::null()) }
    }

    /// Adds the timer to the list.
    ///
    /// # Safety
    /// The thread calls this once. The record isn't moved before it [ends](Self::end).
    pub unsafe fn begin(&self) {
        kernel(|_lock| self.next.set(FIRST.0.replace(self)));
    }

    /// Removes the timer from the list.
    pub fn end(&self) {
        without_switches(|| {
            let mut link = &FIRST.0;
            while !ptr::eq(link.get(), self) {
                // SAFETY: each linked record lives, and this record is linked.
                link = unsafe { &(*link.get()).next };
            }
            link.set(self.next.get());
        });
    }

    /// Returns the thread's timer.
    pub const fn timer(&self) -> &Node {
        &self.timer
    }

    /// Returns the timer of the running thread, if the waker is the thread's own and the thread
    /// runs a future. If a future runs another future, this is the timer of the innermost one.
    #[must_use]
    pub fn timer_of(waker: &Waker) -> Option<&Node> {
        let control = thread_of(waker)?;
        if switch::in_handler() || !ptr::eq(SCHEDULER.running(), control) {
            return None;
        }
        let mut found = None;
        without_switches(|| {
            let mut next = FIRST.0.get();
            // SAFETY: each linked record lives; the thread's own lives until the thread no longer
            // asks.
            while let Some(polling) = unsafe { next.as_ref() } {
                if ptr::eq(polling.control, control) {
                    found = Some(&polling.timer);
                    return;
                }
                next = polling.next.get();
            }
        });
        found
    }
}

/// Runs `walk` while no other thread runs.
fn without_switches(walk: impl FnOnce()) {
    kernel_and_then(|_lock| ((), SectionEnd::Rest(())), |(), _pause| walk());
}
