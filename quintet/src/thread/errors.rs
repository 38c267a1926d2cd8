//! Errors of operations on threads.

use ::core::fmt;

use crate::core::scheduler::PRIORITY_MAX;

/// Why a thread can't be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// The thread has been started, or another context is starting the thread, and the thread has
    /// not ended.
    Running,
    /// The thread takes arguments, and your call has none.
    TakesArguments,
}

impl fmt::Display for StartError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Running => "the thread has been started, and has not ended: join it first",
            Self::TakesArguments => {
                "the thread takes arguments: start it with them, by the `start` of its module"
            }
        })
    }
}

impl ::core::error::Error for StartError {}

/// Why a thread can't be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JoinError {
    /// The thread would join itself.
    Itself,
    /// Another thread waits for the end of this thread already.
    Joined,
    /// The time was up before the thread ended.
    TimedOut,
}

impl fmt::Display for JoinError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Itself => "a thread can't wait for its own end",
            Self::Joined => "another thread waits for the end of this one: one can at a time",
            Self::TimedOut => "the time was up before the thread ended: wait longer or again",
        })
    }
}

impl ::core::error::Error for JoinError {}

/// The error of suspending a thread that holds a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HoldsResource;

impl fmt::Display for HoldsResource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "the thread holds a resource now, or interrupts off: others would find it half changed",
        )
    }
}

impl ::core::error::Error for HoldsResource {}

/// The error of a priority that no thread can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPriority(pub u8);

impl fmt::Display for NoPriority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is no priority of a thread: they have 1 to {PRIORITY_MAX}", self.0)
    }
}

impl ::core::error::Error for NoPriority {}

/// A trait that no thread implements. It is the condition of the function `start` of threads that
/// start by themselves. So the compiler explains these threads where your code calls `start`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this thread starts by itself when `init` has returned, so it has no `start`: make \
               it `#[thread(manual, ..)]`, or start it again, once it has ended, by \
               `handle().start()`",
    label = "starts by itself"
)]
pub trait Manual {}
