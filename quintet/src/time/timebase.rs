//! Time as the driver needs it: the present, and an interrupt when a deadline has come.
//!
//! | over | the time is | an interrupt comes |
//! |---|---|---|
//! | a [`Source`](super::Source) | a [`Clock`](super::clock::Clock) | when a timer is due |
//! | SysTick as a tick | [`Ticks`](super::systick_tick::Ticks) | in each tick |

#![expect(unsafe_code, reason = "whoever begins answers for the hardware")]

use crate::core::lock::KernelLock;
use crate::core::timer::Queue;

/// The time of a [`Driver`](super::Driver).
pub trait Timebase: Send + Sync + 'static {
    /// The setting of the hardware for a deadline, as far as it is computed outside of the lock.
    type Setting: Copy;

    /// `true` if time is counted, and a handler runs in each tick: then armed timers wait among the
    /// arrivals, and no hardware is set for them.
    const IS_COUNTED: bool;

    /// Returns the present, in ticks. From any context; 0 before [`begin`](Self::begin).
    fn now(&self) -> u64;

    /// Begins to tick. The first interrupt comes at once.
    ///
    /// # Safety
    /// Called once; the hardware has started.
    unsafe fn begin(&self);

    /// Returns the setting for a deadline. From any context.
    fn setting(&self, deadline: u64) -> Self::Setting;

    /// Makes `deadline` the queue's alarm, if it is earlier than the present alarm, and lets the
    /// interrupt come then. `setting` was computed for `deadline`. If time is counted, the deadline
    /// has passed: the interrupt comes at once.
    fn lower(&self, kernel: &KernelLock<'_>, queue: &Queue, deadline: u64, setting: Self::Setting);

    /// Keeps time right while the handler has more to do than fits into its time. Called within the
    /// handler.
    ///
    /// # Safety
    /// Only the handler of the interrupt calls this, after [`begin`](Self::begin).
    unsafe fn keep_up(&self);
}
