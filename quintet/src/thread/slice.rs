//! Time slices: threads of one priority that take turns by time.

#![expect(unsafe_code, reason = "the queue links to the slices' nodes")]

use ::core::cell::Cell;
use ::core::fmt;
use ::core::ptr;
use ::core::task::{RawWaker, RawWakerVTable, Waker};

use embassy_time::Duration;

use crate::core::guarded::Guarded;
use crate::core::lock::{is_cooperative, kernel};
use crate::core::scheduler::{PRIORITY_MAX, SCHEDULER, Turn, bit_of};
use crate::core::timer::{Node, Ticks};
use crate::core::wake::Wakee;
use crate::time::{driver, from_now};

/// How long a turn lasts among the threads of a priority that are ready. A static of 44 bytes; see
/// [`take_turns`].
///
/// A turn ends when its thread waits, or when the slice is over and another thread of the priority
/// is ready. What more urgent threads and interrupts take counts as the turn's time; where a more
/// urgent thread runs as the slice is over, the turn ends about every second time, as its thread
/// may not have run in it: so nobody starves in step with that one.
///
/// A thread that runs under a ceiling is not interrupted by its equals: if the slice is over there,
/// its turn ends as it leaves its last ceiling, and the next one's slice begins then. So it does
/// where a mutex gives the thread a higher priority when the slice is over, as the thread comes
/// back from that.
///
/// Nothing is timed, and no interrupt comes, while one thread of a priority is ready at most (but
/// for the rest of a slice that had begun).
pub struct Slice {
    node: Node,
    ticks: Ticks,
    priority: u8,
}

/// Those of the application.
static SLICES: Guarded<Cell<&'static [Slice]>> = Guarded::new(Cell::new(&[]));

/// The functions of the nodes' wakees, whose word is the slice's address.
static HANDLER: RawWakerVTable = RawWakerVTable::new(copy, end, end, forget);

unsafe fn copy(slice: *const ()) -> RawWaker {
    RawWaker::new(slice, &HANDLER)
}

/// They own nothing.
const unsafe fn forget(_slice: *const ()) {}

/// What the driver calls when the slice is over.
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
    /// A slice of `duration` for the threads of a priority, 1 to 31.
    ///
    /// # Panics
    /// If no thread can have the priority, or the duration is no time; at compile time, as it is
    /// for a static.
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
    /// The node is not armed, and nobody else is about to.
    unsafe fn time(&'static self) {
        // SAFETY: the caller's. `end` is for this slice, and nothing is owned.
        unsafe {
            let deadline = from_now(Duration::from_ticks(self.ticks.0)).as_ticks();
            self.node.set_deadline(deadline);
            let waker = Waker::new(ptr::from_ref(self).cast(), &HANDLER);
            driver::arm_apart(&self.node, deadline, Wakee::job(waker));
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

/// Lets threads of equal priority take turns: those of each priority that has a slice here. Once,
/// from every context that the kernel knows of; a further call has no effect.
///
/// Where the scheduler is cooperative nobody is interrupted, and this has no effect.
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
