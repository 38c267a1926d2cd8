//! Polling: the timers of threads that run futures.
//!
//! A wish to be woken at a time comes with a waker alone, which is the thread's own, and may be a
//! clone of it. So the timer is looked for among those of all threads that run a future now. Only
//! threads come and go there: switches are held off meanwhile, and no interrupt is.

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

/// A thread that runs a future, and its timer. On its stack.
pub struct Polling {
    control: &'static ThreadBlock,
    timer: Node,
    /// The one that began before.
    next: Cell<*const Self>,
}

/// The one that began last.
struct First(Cell<*const Polling>);

// SAFETY: only threads touch it, one at a time: under the kernel's lock, or with switches held off.
unsafe impl Sync for First {}

static FIRST: First = First(Cell::new(ptr::null()));

impl Polling {
    /// For the thread `control`.
    #[must_use]
    pub const fn new(control: &'static ThreadBlock) -> Self {
        Self { control, timer: Node::new(0), next: Cell::new(ptr::null()) }
    }

    /// Lets the timer be found.
    ///
    /// # Safety
    /// Called once, by the thread. This isn't moved before it [ends](Self::end).
    pub unsafe fn begin(&self) {
        kernel(|_lock| self.next.set(FIRST.0.replace(self)));
    }

    /// Lets the timer be found no more.
    pub fn end(&self) {
        without_switches(|| {
            let mut link = &FIRST.0;
            while !ptr::eq(link.get(), self) {
                // SAFETY: what is linked lives, and this is linked.
                link = unsafe { &(*link.get()).next };
            }
            link.set(self.next.get());
        });
    }

    /// Its timer.
    pub const fn timer(&self) -> &Node {
        &self.timer
    }

    /// The timer of the thread that asks, if the waker is its own and it runs a future: of the
    /// innermost, where one runs another.
    #[must_use]
    pub fn timer_of(waker: &Waker) -> Option<&Node> {
        let control = thread_of(waker)?;
        if switch::in_handler() || !ptr::eq(SCHEDULER.running(), control) {
            return None;
        }
        let mut found = None;
        without_switches(|| {
            let mut next = FIRST.0.get();
            // SAFETY: what is linked lives: the thread's own until it asks no more.
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
