//! The words that handlers return. The macro reads these words; no values of them exist at run
//! time.

use core::marker::PhantomData;

/// The answer of a handler to an event. The macro makes an `enum` of the answers of each handler.
#[derive(Debug)]
pub struct Outcome<State>(PhantomData<State>);

/// The event is handled, and the state stays.
#[derive(Debug)]
pub struct Handled;

/// The superstate handles the event. If there is no superstate, the event is ignored.
#[derive(Debug)]
pub struct Super;

/// The machine keeps the event until the state changes.
#[derive(Debug)]
pub struct Deferred;

/// Goes to another state: `Transition(State::name())`.
#[derive(Debug)]
pub struct Transition;

/// Goes to another state, without leaving the composite at one end of the transition:
/// `Local(State::name())`.
#[derive(Debug)]
pub struct Local;

/// Goes to the state in a composite that was active last: `History(State::name())`.
#[derive(Debug)]
pub struct History;

/// As [`History`], but through all levels: `DeepHistory(State::name())`.
#[derive(Debug)]
pub struct DeepHistory;
