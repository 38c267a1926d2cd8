//! What may be refused of a thread.

use ::core::fmt;

use crate::core::scheduler::PRIORITY_MAX;

/// Why a thread can't be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// It has been started, or is being started by another context, and has not ended.
    Running,
    /// It takes arguments, and was to be started without.
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
    /// It is the thread that asks.
    Itself,
    /// Another thread waits for its end already.
    Joined,
    /// The time was up before the end.
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

/// Why a thread can't be suspended.
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

/// A priority that no thread can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPriority(pub u8);

impl fmt::Display for NoPriority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} is no priority of a thread: they have 1 to {PRIORITY_MAX}", self.0)
    }
}

impl ::core::error::Error for NoPriority {}

/// What no thread is: the condition of the function `start` of those that start by themselves, so
/// that the compiler says what they are where it is called.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this thread starts by itself when `init` has returned, so it has no `start`: make \
               it `#[thread(manual, ..)]`, or start it again, once it has ended, by \
               `handle().start()`",
    label = "starts by itself"
)]
pub trait Manual {}
