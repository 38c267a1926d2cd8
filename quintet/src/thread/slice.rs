//! Time slices: threads of one priority that take turns by time.

#![expect(unsafe_code, reason = "the queue links to the slices' nodes")]

use ::core::cell::Cell;
use ::core::fmt;
use ::core::ptr;
use ::core::task::{RawWaker, RawWakerVTable, Waker};

use embassy_time::Duration;

use crate::core::application::is_cooperative;
use crate::core::kernel_cell::KernelCell;
use crate::core::lock::kernel;
use crate::core::record::WakeTarget;
use crate::core::scheduler::{PRIORITY_MAX, SCHEDULER, Turn, bit_of};
use crate::core::timer::{Node, Ticks};
use crate::time::{driver, from_now};

/// The duration of a turn among the ready threads of a priority. A static of 44 bytes; see
/// [`take_turns`].
///
/// A turn ends when its thread waits, or when the slice is over and another thread of the priority
/// is ready. Time of more urgent threads and interrupts counts as time of the turn. If a more
/// urgent thread runs when the slice is over, the turn ends only about every second time, as the
/// thread may not have run in its turn. So no thread starves when its turns keep step with a more
/// urgent thread.
///
/// If a slice expires while its thread is under a ceiling, the thread goes on, yields when it
/// leaves its last ceiling, and the next thread's slice begins then. If a slice expires while a
/// mutex gives the thread a higher priority, the thread yields when it returns to its own priority.
///
/// While at most one thread of a priority is ready, nothing is timed and no interrupt comes (except
/// for the rest of a slice that had begun).
pub struct Slice {
    node: Node,
    ticks: Ticks,
    priority: u8,
}

/// The slices of the application.
static SLICES: KernelCell<Cell<&'static [Slice]>> = KernelCell::new(Cell::new(&[]));

/// The functions of the nodes' wake targets. Their word is the slice's address.
static HANDLER: RawWakerVTable = RawWakerVTable::new(copy, end, end, forget);

unsafe fn copy(slice: *const ()) -> RawWaker {
    RawWaker::new(slice, &HANDLER)
}

/// The wake targets own nothing.
const unsafe fn forget(_slice: *const ()) {}

/// The driver calls this function when the slice is over.
unsafe fn end(slice: *const ()) {
    // SAFETY: from `time`: a static.
    let slice: &'static Slice = unsafe { &*slice.cast() };
    match kernel(|lock| SCHEDULER.end_slice(bit_of(slice.priority), lock)) {
        // SAFETY: it has fired, and the switch times a slice only where nobody does.
        Turn::Next | Turn::Preempted => unsafe { slice.time() },
        // The switch does, once there are several, or the thread has left the ceiling.
        Turn::Alone | Turn::Held => {}
    }
}

impl Slice {
    /// Makes a slice of `duration` for the threads of a priority, 1 to 31.
    ///
    /// # Panics
    /// If no thread can have the priority, or the duration is 0. In a static, this is an error at
    /// compile time.
    #[must_use]
    #[track_caller]
    pub const fn new(priority: u8, duration: Duration) -> Self {
        assert!(1 <= priority && priority <= PRIORITY_MAX, "a thread's priority is from 1 to 31");
        assert!(duration.as_ticks() > 0, "a slice takes some time");
        Self { node: Node::new(0), ticks: Ticks(duration.as_ticks()), priority }
    }

    /// Times a slice from now.
    ///
    /// # Safety
    /// The node is not armed, and no other context is about to arm the node.
    unsafe fn time(&'static self) {
        // SAFETY: the caller's. `end` is for this slice, and nothing is owned.
        unsafe {
            let deadline = from_now(Duration::from_ticks(self.ticks.0)).as_ticks();
            self.node.set_deadline(deadline);
            let waker = Waker::new(ptr::from_ref(self).cast(), &HANDLER);
            driver::arm_cold(&self.node, deadline, WakeTarget::job(waker));
        }
    }
}

impl fmt::Debug for Slice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut slice = formatter.debug_struct("Slice");
        slice
            .field("priority", &self.priority)
            .field("ticks", &{ self.ticks.0 })
            .finish_non_exhaustive()
    }
}

/// Lets threads of equal priority take turns, for each priority that has a slice here. Call this
/// once, from any context that the kernel knows of; a further call has no effect.
///
/// With a cooperative scheduler, no thread is interrupted, and this has no effect.
///
/// ```no_run
/// use quintet::thread::{Slice, take_turns};
/// use quintet::time::Duration;
///
/// static SLICES: [Slice; 1] = [Slice::new(1, Duration::from_millis(1))];
///
/// take_turns(&SLICES);
/// ```
pub fn take_turns(slices: &'static [Slice]) {
    let bits = slices.iter().fold(0, |bits, slice| bits | bit_of(slice.priority));
    kernel(|lock| {
        let own = SLICES.get(lock);
        if own.get().is_empty() && !is_cooperative() {
            own.set(slices);
            SCHEDULER.take_turns(bits, time_slices, lock);
        }
    });
}

/// Times the slices of those priorities in which a second thread has become ready. The switch calls
/// it.
fn time_slices() {
    for slice in kernel(|lock| SLICES.get(lock).get()) {
        let bit = bit_of(slice.priority);
        let (anew, wanted) = kernel(|lock| {
            let anew = SCHEDULER.end_turn_above(bit, lock);
            let wanted = anew || !slice.node.is_armed(lock);
            (anew, wanted && SCHEDULER.keeps_turning(bit, lock))
        });
        // SAFETY: only the switch and the node's expiry arm it, and that is over whenever the
        // switch goes on. So it isn't armed where it was found so, or is cancelled.
        unsafe {
            if anew && slice.node.may_be_armed() {
                driver::cancel(&slice.node);
            }
            if wanted {
                slice.time();
            }
        }
    }
}
