//! The words of handlers. The macro reads them: there are no values of them at run time.

use core::marker::PhantomData;

/// What a handler says of an event. The macro makes an `enum` of it for each handler.
#[derive(Debug)]
pub struct Outcome<State>(PhantomData<State>);

/// The event is done with, the state stays.
#[derive(Debug)]
pub struct Handled;

/// The superstate is asked; outside of all, the event is ignored.
#[derive(Debug)]
pub struct Super;

/// The event is kept until the state changes.
#[derive(Debug)]
pub struct Deferred;

/// To another state: `Transition(State::name())`.
#[derive(Debug)]
pub struct Transition;

/// To another state, staying in a composite that is one end: `Local(State::name())`.
#[derive(Debug)]
pub struct Local;

/// To the state in a composite that was active last: `History(State::name())`.
#[derive(Debug)]
pub struct History;

/// The same through all levels: `DeepHistory(State::name())`.
#[derive(Debug)]
pub struct DeepHistory;
