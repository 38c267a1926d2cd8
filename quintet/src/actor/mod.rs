//! Actors: data, a bounded queue of events, and a function that handles one event after the other,
//! each to its end.
//!
//! | part | you use it for |
//! |---|---|
//! | [`Queue`] | the events that wait for an actor |
//! | [`Fill`] | how many events wait, and how many ever waited at once |
//! | [`Handle`] | posting to an actor, when your code knows only the type of the events |
//! | [`EventPool`] | memory for the data of events: a [`Unique`] handle, or [`Shared`] handles |
//! | [`Deferred`] | events that an actor handles later |
//! | [`Missed`] | the error of `try_publish`: subscribers without room |
//! | `TimeEvent` | an event that is posted at a time, or periodically (feature `time`) |
//! | [`Inbox`](crate::sync::Inbox) | an actor without the macro: events for a thread or a task |
//!
//! You define an actor with `#[actor]` in [`app`](crate::app). An actor has a slot of a level, as a
//! software task has. A post puts the event into the queue, and wakes the slot. The slot's job
//! takes one event, and wakes the slot again if more events wait. So the slots of a level take
//! turns, one event each.
//!
//! # Events
//! An event has any type of up to [`EVENT_MAX`] bytes, and is moved into the queue and out of the
//! queue. For larger data, send a handle of one word from an [`EventPool`], or a `&'static`.

mod deferred;
#[doc(hidden)]
pub mod definition;
mod handle;
mod missed;
mod pool;
#[doc(hidden)]
pub mod queue;
mod ring;
#[doc(hidden)]
pub mod starting;
#[cfg(feature = "time")]
mod time_event;

pub use deferred::Deferred;
pub use handle::{Address, Handle};
pub use missed::Missed;
pub use pool::{EventPool, PoolEmpty, Shared, Unique};
pub use queue::{Fill, Queue};
pub use ring::EVENT_MAX;
#[cfg(feature = "time")]
pub use time_event::{Lossy, Strict, TimeEvent};
