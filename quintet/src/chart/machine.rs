//! A machine: the user's struct, the active state, histories and deferred events.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

#[cfg(not(target_os = "none"))]
use super::log::Log;

/// The types and functions that [`state_machine`](crate::state_machine) defines for a struct.
pub trait Chart: Sized {
    /// The leaves, with their storage.
    type State;
    /// The names of the leaves and superstates.
    type Within: Copy + PartialEq + fmt::Debug;
    /// For each composite whose history is used, the leaf that was active last.
    #[doc(hidden)]
    type Record;
    /// The events that were put off.
    #[doc(hidden)]
    type Kept;
    /// How you dispatch events: [`Plain`], [`With`], [`Waits`] or [`WaitsWith`].
    type Form;

    /// Returns `true` if a state is the leaf `within`, or lies inside of the superstate `within`.
    fn is_within(state: &Self::State, within: Self::Within) -> bool;

    /// Returns a leaf as text: as its `Debug` prints the leaf, or otherwise the leaf's name.
    #[cfg(not(target_os = "none"))]
    #[doc(hidden)]
    fn text(state: &Self::State) -> String;
}

/// The result of one event.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// The machine stays in its state.
    Done,
    /// The machine stays in its state, as no state took the event.
    Ignored,
    /// The machine took a transition.
    Moved,
    /// The machine keeps the event.
    Kept,
    /// The machine should keep the event, but there is no room.
    Full,
}

/// The form of machines without a context.
#[derive(Debug)]
pub struct Plain;

/// The form of machines with a context.
#[derive(Debug)]
pub struct With;

/// The form of machines with `async` functions.
#[derive(Debug)]
pub struct Waits;

/// The form of machines with `async` functions and a context.
#[derive(Debug)]
pub struct WaitsWith;

/// A state machine of the struct `M`. The machine dereferences to the struct.
///
/// `M::machine(self)` makes a machine, also in a constant.
///
/// # A dispatch that doesn't come to its end
///
/// A transition stores its target as its last step, after all actions. So if a handler or an action
/// panics, or if you drop the future of a dispatch, the machine is in the state from which the
/// transition began, and takes the next event there. (If the first transition was cut short, the
/// machine is not started.) Nothing is undone:
///
/// - Actions that have run stay done, and run again with the next transition.
/// - Variables of the state keep the values that a handler stored.
/// - The event is lost, even an event that had been put off and was being handled.
///
/// A dispatch can take several transitions: completions, or transitions of events that had been put
/// off. The transitions before the last one stay taken.
pub struct Machine<M: Chart, F = <M as Chart>::Form> {
    #[doc(hidden)]
    pub __chart: M,
    #[doc(hidden)]
    pub __state: Option<M::State>,
    #[doc(hidden)]
    pub __record: M::Record,
    #[doc(hidden)]
    pub __kept: M::Kept,
    /// The machine's notes, for tests.
    #[cfg(not(target_os = "none"))]
    #[doc(hidden)]
    pub __log: Log<M::Within>,
    form: PhantomData<F>,
}

impl<M: Chart> Machine<M> {
    /// Makes a machine that has not been started.
    #[doc(hidden)]
    pub const fn __new(chart: M, record: M::Record, kept: M::Kept) -> Self {
        Self {
            __chart: chart,
            __state: None,
            __record: record,
            __kept: kept,
            #[cfg(not(target_os = "none"))]
            __log: Log::OFF,
            form: PhantomData,
        }
    }
}

impl<M: Chart, F> Machine<M, F> {
    /// Returns the active leaf.
    ///
    /// # Panics
    /// If the machine has not been started.
    #[must_use]
    pub fn state(&self) -> &M::State {
        match &self.__state {
            Some(state) => state,
            None => panic!("the state machine has not been started: call `start`, or `dispatch`"),
        }
    }

    /// Returns `true` if this leaf or superstate is active. Before the start, no state is active.
    #[must_use]
    pub fn is_in(&self, within: M::Within) -> bool {
        self.__state.as_ref().is_some_and(|state| M::is_within(state, within))
    }

    /// Returns `true` if the machine has been started.
    #[must_use]
    pub const fn is_started(&self) -> bool {
        self.__state.is_some()
    }
}

#[cfg(not(target_os = "none"))]
impl<M: Chart, F> Machine<M, F> {
    /// The machine's notes.
    pub(super) const fn log(&mut self) -> &mut Log<M::Within> {
        &mut self.__log
    }

    /// Returns the active leaf as text, or nothing before the start.
    pub(super) fn state_text(&self) -> Option<String> {
        self.__state.as_ref().map(M::text)
    }
}

impl<M: Chart, F> Deref for Machine<M, F> {
    type Target = M;

    fn deref(&self) -> &M {
        &self.__chart
    }
}

impl<M: Chart, F> DerefMut for Machine<M, F> {
    fn deref_mut(&mut self) -> &mut M {
        &mut self.__chart
    }
}

impl<M: Chart, F> fmt::Debug for Machine<M, F>
where
    M::State: fmt::Debug,
{
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Machine").field("state", &self.__state).finish_non_exhaustive()
    }
}

/// What a machine takes and answers.
#[doc(hidden)]
pub trait Takes: Chart {
    type Event<'a>
    where
        Self: 'a;
    /// What is lent for one call, and what that borrows for longer.
    type Context<'lent, 'inside: 'lent>
    where
        Self: 'lent;
    type Answer;
}

/// A machine whose functions take no context.
#[doc(hidden)]
pub trait WithoutContext: Takes {
    fn none<'lent, 'inside: 'lent>() -> Self::Context<'lent, 'inside>
    where
        Self: 'lent;
}

/// A machine whose functions are not `async`. The lifetimes are as those of [`DispatchWaits`], so
/// that the macro writes one form.
#[doc(hidden)]
pub trait DispatchPlain: Takes {
    fn start<'lent, 'inside: 'lent>(
        machine: &mut Machine<Self>,
        context: Self::Context<'lent, 'inside>,
    ) where
        Self: 'lent;
    fn dispatch<'event, 'lent, 'inside: 'lent>(
        machine: &mut Machine<Self>,
        event: Self::Event<'event>,
        context: Self::Context<'lent, 'inside>,
    ) -> Self::Answer
    where
        Self: 'event + 'lent;
    /// Returns `true` if the event was taken.
    fn offer<'event, 'lent, 'inside: 'lent>(
        machine: &mut Machine<Self>,
        event: Self::Event<'event>,
        context: Self::Context<'lent, 'inside>,
    ) -> bool
    where
        Self: 'event + 'lent;
    fn stop<'lent, 'inside: 'lent>(
        machine: &mut Machine<Self>,
        context: Self::Context<'lent, 'inside>,
    ) where
        Self: 'lent;
}

/// A machine with `async` functions. A future captures the lifetimes of its function, so the
/// machine says that it lives as long.
#[doc(hidden)]
#[expect(async_fn_in_trait, reason = "the macro implements it, so it is known what is `Send`")]
pub trait DispatchWaits: Takes {
    async fn start<'lent, 'inside: 'lent>(
        machine: &mut Machine<Self>,
        context: Self::Context<'lent, 'inside>,
    ) where
        Self: 'lent;
    async fn dispatch<'event, 'lent, 'inside: 'lent>(
        machine: &mut Machine<Self>,
        event: Self::Event<'event>,
        context: Self::Context<'lent, 'inside>,
    ) -> Self::Answer
    where
        Self: 'event + 'lent;
    /// Returns `true` if the event was taken.
    async fn offer<'event, 'lent, 'inside: 'lent>(
        machine: &mut Machine<Self>,
        event: Self::Event<'event>,
        context: Self::Context<'lent, 'inside>,
    ) -> bool
    where
        Self: 'event + 'lent;
    async fn stop<'lent, 'inside: 'lent>(
        machine: &mut Machine<Self>,
        context: Self::Context<'lent, 'inside>,
    ) where
        Self: 'lent;
}

impl<M: Chart<Form = Plain> + DispatchPlain + WithoutContext> Machine<M, Plain> {
    /// Enters the first state, unless it has been entered.
    #[inline(always)]
    pub fn start(&mut self) {
        M::start(self, M::none());
    }

    /// Handles an event. The first event starts the machine before.
    #[inline(always)]
    pub fn dispatch(&mut self, event: M::Event<'_>) -> M::Answer {
        M::dispatch(self, event, M::none())
    }

    /// Handles an event as [`dispatch`](Self::dispatch) does, and gives the event back if no state
    /// took it, or if a state wanted to put the event off and there was no room. You can then offer
    /// the event to another machine, for example.
    ///
    /// Returns `None` if a state handled the event, chose a transition, or put the event off. The
    /// machine's `unhandled` function is called all the same for an event that no state took.
    #[inline(always)]
    pub fn offer<'a>(&mut self, event: M::Event<'a>) -> Option<M::Event<'a>>
    where
        M::Event<'a>: Copy,
    {
        if M::offer(self, event, M::none()) { None } else { Some(event) }
    }

    /// Leaves all states, from the active one outwards, with their exit actions. Then the machine
    /// is as if it had not been started: events that were put off are dropped, histories begin
    /// anew, and the next event or [`start`](Self::start) enters the first state. The fields of the
    /// machine's struct stay. Does nothing if the machine has not been started.
    #[inline(always)]
    pub fn stop(&mut self) {
        M::stop(self, M::none());
    }
}

impl<M: Chart<Form = With> + DispatchPlain> Machine<M, With> {
    /// Enters the first state, unless it has been entered.
    #[inline(always)]
    pub fn start(&mut self, context: M::Context<'_, '_>) {
        M::start(self, context);
    }

    /// Handles an event. The first event starts the machine before.
    #[inline(always)]
    pub fn dispatch(&mut self, event: M::Event<'_>, context: M::Context<'_, '_>) -> M::Answer {
        M::dispatch(self, event, context)
    }

    /// Handles an event as [`dispatch`](Self::dispatch) does, and gives the event back if no state
    /// took it, or if a state wanted to put the event off and there was no room. You can then offer
    /// the event to another machine, for example.
    ///
    /// Returns `None` if a state handled the event, chose a transition, or put the event off. The
    /// machine's `unhandled` function is called all the same for an event that no state took.
    #[inline(always)]
    pub fn offer<'a>(
        &mut self,
        event: M::Event<'a>,
        context: M::Context<'_, '_>,
    ) -> Option<M::Event<'a>>
    where
        M::Event<'a>: Copy,
    {
        if M::offer(self, event, context) { None } else { Some(event) }
    }

    /// Leaves all states, from the active one outwards, with their exit actions. Then the machine
    /// is as if it had not been started: events that were put off are dropped, histories begin
    /// anew, and the next event or [`start`](Self::start) enters the first state. The fields of the
    /// machine's struct stay. Does nothing if the machine has not been started.
    #[inline(always)]
    pub fn stop(&mut self, context: M::Context<'_, '_>) {
        M::stop(self, context);
    }
}

impl<M: Chart<Form = Waits> + DispatchWaits + WithoutContext> Machine<M, Waits> {
    /// Enters the first state, unless it has been entered.
    ///
    /// # Cancel safety
    /// Not safe: the machine is in the state from which the transition began, but actions that have
    /// run stay done. See [`Machine`]. Await the future to its end, or drop the machine, too.
    pub async fn start(&mut self) {
        M::start(self, M::none()).await;
    }

    /// Handles an event. The first event starts the machine before.
    ///
    /// # Cancel safety
    /// Not safe: the machine is in the state from which the transition began, but actions that have
    /// run stay done. See [`Machine`]. Await the future to its end, or drop the machine, too.
    pub async fn dispatch(&mut self, event: M::Event<'_>) -> M::Answer {
        M::dispatch(self, event, M::none()).await
    }

    /// Handles an event as [`dispatch`](Self::dispatch) does, and gives the event back if no state
    /// took it, or if a state wanted to put the event off and there was no room. You can then offer
    /// the event to another machine, for example.
    ///
    /// Returns `None` if a state handled the event, chose a transition, or put the event off. The
    /// machine's `unhandled` function is called all the same for an event that no state took.
    ///
    /// # Cancel safety
    /// As for [`dispatch`](Self::dispatch).
    pub async fn offer<'a>(&mut self, event: M::Event<'a>) -> Option<M::Event<'a>>
    where
        M::Event<'a>: Copy,
    {
        if M::offer(self, event, M::none()).await { None } else { Some(event) }
    }

    /// Leaves all states, from the active one outwards, with their exit actions. Then the machine
    /// is as if it had not been started: events that were put off are dropped, histories begin
    /// anew, and the next event or [`start`](Self::start) enters the first state. The fields of the
    /// machine's struct stay. Does nothing if the machine has not been started.
    ///
    /// # Cancel safety
    /// As for [`dispatch`](Self::dispatch).
    pub async fn stop(&mut self) {
        M::stop(self, M::none()).await;
    }
}

impl<M: Chart<Form = WaitsWith> + DispatchWaits> Machine<M, WaitsWith> {
    /// Enters the first state, unless it has been entered.
    ///
    /// # Cancel safety
    /// Not safe: the machine is in the state from which the transition began, but actions that have
    /// run stay done. See [`Machine`]. Await the future to its end, or drop the machine, too.
    pub async fn start(&mut self, context: M::Context<'_, '_>) {
        M::start(self, context).await;
    }

    /// Handles an event. The first event starts the machine before.
    ///
    /// # Cancel safety
    /// Not safe: the machine is in the state from which the transition began, but actions that have
    /// run stay done. See [`Machine`]. Await the future to its end, or drop the machine, too.
    pub async fn dispatch(
        &mut self,
        event: M::Event<'_>,
        context: M::Context<'_, '_>,
    ) -> M::Answer {
        M::dispatch(self, event, context).await
    }

    /// Handles an event as [`dispatch`](Self::dispatch) does, and gives the event back if no state
    /// took it, or if a state wanted to put the event off and there was no room. You can then offer
    /// the event to another machine, for example.
    ///
    /// Returns `None` if a state handled the event, chose a transition, or put the event off. The
    /// machine's `unhandled` function is called all the same for an event that no state took.
    ///
    /// # Cancel safety
    /// As for [`dispatch`](Self::dispatch).
    pub async fn offer<'a>(
        &mut self,
        event: M::Event<'a>,
        context: M::Context<'_, '_>,
    ) -> Option<M::Event<'a>>
    where
        M::Event<'a>: Copy,
    {
        if M::offer(self, event, context).await { None } else { Some(event) }
    }

    /// Leaves all states, from the active one outwards, with their exit actions. Then the machine
    /// is as if it had not been started: events that were put off are dropped, histories begin
    /// anew, and the next event or [`start`](Self::start) enters the first state. The fields of the
    /// machine's struct stay. Does nothing if the machine has not been started.
    ///
    /// # Cancel safety
    /// As for [`dispatch`](Self::dispatch).
    pub async fn stop(&mut self, context: M::Context<'_, '_>) {
        M::stop(self, context).await;
    }
}
