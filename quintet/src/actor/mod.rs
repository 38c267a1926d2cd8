//! Actors: data, a bounded queue of events, and a function that is called for one event after the
//! other, each to its end.
//!
//! | part | what it is for |
//! |---|---|
//! | [`Queue`] | the events that wait for an actor |
//! | [`Fill`] | how many wait, and how many ever did at once |
//! | [`Handle`] | an actor, for who knows only the type of its events |
//! | [`EventPool`] | memory for data that goes by a handle: [`Unique`], or [`Shared`] by several |
//! | [`Deferred`] | events that an actor has put off |
//! | `TimeEvent` | an event that is posted at a time, or periodically (feature `time`) |
//! | [`Inbox`](crate::sync::Inbox) | an actor without the macro: events for a thread or a task |
//!
//! An actor is a slot of a level, as a software task is: whoever posts puts the event into the
//! queue, and wakes the slot. The slot's job takes one event, and wakes its slot again if more
//! wait; so the slots of a level take turns. `#[actor]` in [`app`](crate::app) writes that.
//!
//! # Events
//! Any type of up to [`EVENT_MAX`] bytes, which is moved into the queue and out of it. What is
//! larger goes by a handle of one word, or by `&'static`.

mod deferred;
#[doc(hidden)]
pub mod definition;
mod handle;
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
pub use pool::{EventPool, PoolEmpty, Shared, Unique};
pub use queue::{Fill, Queue};
pub use ring::EVENT_MAX;
#[cfg(feature = "time")]
pub use time_event::TimeEvent;
