//! Time as the driver needs it: the present, and an interrupt when a deadline has come.
//!
//! | over | it is | an interrupt comes |
//! |---|---|---|
//! | a [`Source`](super::Source) | a [`Clock`](super::clock::Clock) | when something is due |
//! | SysTick as a tick | [`Ticks`](super::systick_tick::Ticks) | in each tick |

#![expect(unsafe_code, reason = "whoever begins answers for the hardware")]

use crate::core::lock::Kernel;
use crate::core::timer::Queue;

/// What a [`Driver`](super::Driver) is put together with.
pub trait Timebase: Send + Sync + 'static {
    /// What the hardware is given for a deadline, as far as it is found outside of the lock.
    type Setting: Copy;

    /// Whether time is counted, and a handler comes in each tick: what is armed then waits among
    /// the arrivals, and nothing is set for it.
    const IS_COUNTED: bool;

    /// The present, in ticks. From any context; 0 before [`begin`](Self::begin).
    fn now(&self) -> u64;

    /// Begins to tick. The first interrupt comes at once.
    ///
    /// # Safety
    /// Called once; the hardware has started.
    unsafe fn begin(&self);

    /// The setting for a deadline. From any context.
    fn setting(&self, deadline: u64) -> Self::Setting;

    /// Makes `deadline` the queue's alarm, for which `setting` was found, and lets the interrupt
    /// come then, if that is earlier. Where time is counted, the deadline has passed: the interrupt
    /// comes at once.
    fn lower(&self, kernel: &Kernel<'_>, queue: &Queue, deadline: u64, setting: Self::Setting);

    /// Stays right though the handler has more to do than in time. Within the handler.
    ///
    /// # Safety
    /// Called from the handler of the interrupt only, after [`begin`](Self::begin).
    unsafe fn keep_up(&self);
}
