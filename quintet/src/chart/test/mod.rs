//! Tests of machines, on the host: you send events to a machine, and compare its steps with those
//! that you expect.
//!
//! A [`Test`] holds a machine with its context. [`start`](Test::start), [`send`](Test::send) and
//! [`stop`](Test::stop) each return a [`Seen`]: the states that were left and entered, the actions
//! that ran, and the fate of the event. The comparisons of a [`Seen`] panic at the line of your
//! test, and show the expected steps beside those that were seen.
//!
//! ```
//! use quintet::chart::prelude::*;
//! use quintet::chart::{Step, Test};
//!
//! #[derive(Debug)]
//! enum Event { Press, Tick }
//!
//! struct Lamp { switched: u32 }
//!
//! #[quintet::state_machine(initial = State::off(), state(derive(Debug, PartialEq)))]
//! impl Lamp {
//!     #[state]
//!     fn off(event: &Event) -> Outcome<State> {
//!         match event {
//!             Event::Press => Transition(State::on(2)),
//!             Event::Tick => Super,
//!         }
//!     }
//!
//!     #[state(entry_action = count)]
//!     fn on(left: &mut u8, event: &Event) -> Outcome<State> {
//!         match event {
//!             Event::Tick if *left > 1 => {
//!                 *left -= 1;
//!                 Handled
//!             }
//!             Event::Tick | Event::Press => Transition(State::off()),
//!         }
//!     }
//!
//!     #[action]
//!     fn count(&mut self) {
//!         self.switched += 1;
//!     }
//! }
//!
//! let mut lamp = Test::new(Lamp { switched: 0 }.machine());
//! lamp.start().enters([Within::Off]);
//! lamp.send(&Event::Tick).is_ignored();
//! lamp.send(&Event::Press).exits([Within::Off]).enters([Within::On]).runs(["count"]);
//! lamp.send(&Event::Tick).is_handled().stays().state(&State::On { left: 1 });
//! lamp.send(&Event::Tick).takes(Within::On, Within::Off).does([
//!     Step::Transition(Within::On, Within::Off),
//!     Step::Exit(Within::On),
//!     Step::Enter(Within::Off),
//! ]);
//! assert_eq!(lamp.machine().switched, 1);
//! ```
//!
//! # Cost
//! None in firmware: machines note their steps on the host only, and only while a test holds them.

mod driven;
mod finish;
mod report;
mod seen;

use std::fmt;
use std::panic::Location;

pub use self::driven::Driven;
use self::report::{Given, Told};
pub use self::seen::Seen;
use super::{Chart, Machine};

/// How many events before the present one a message shows.
const SHOWN: usize = 5;

/// A machine under test, with its context.
///
/// If the machine's functions are `async`, the test polls them to the end of each event. While they
/// wait and nothing else wakes them, time passes: to the next deadline of the virtual clock
/// (`quintet::time::VirtualClock`), if the test has taken that clock.
pub struct Test<M: Chart, C = (), F = <M as Chart>::Form> {
    machine: Machine<M, F>,
    context: C,
    /// The events so far, the oldest first; for messages.
    told: Vec<Told>,
    count: usize,
}

impl<M: Chart> Test<M> {
    /// Makes a test of a machine without a context.
    #[must_use]
    pub fn new(machine: Machine<M>) -> Self {
        Self::with(machine, ())
    }
}

impl<M: Chart, C> Test<M, C> {
    /// Makes a test that lends the machine this context with each event.
    #[must_use]
    pub fn with(mut machine: Machine<M>, context: C) -> Self {
        machine.log().on();
        Self { machine, context, told: Vec::new(), count: 0 }
    }
}

impl<M: Driven<C, F>, C, F> Test<M, C, F> {
    /// Enters the first state, unless the machine has been started.
    #[track_caller]
    pub fn start(&mut self) -> Seen<'_, M, F> {
        self.tell(Given::Start, Location::caller(), |machine, context| {
            M::drive_start(machine, context);
        })
    }

    /// Gives the machine an event, as `dispatch` does. The first event starts the machine before.
    #[track_caller]
    pub fn send(&mut self, event: M::Event<'_>) -> Seen<'_, M, F> {
        self.count += 1;
        self.tell(Given::Event(self.count), Location::caller(), |machine, context| {
            M::drive_dispatch(machine, event, context);
        })
    }

    /// Leaves all states. Then the machine is as if it had not been started.
    #[track_caller]
    pub fn stop(&mut self) -> Seen<'_, M, F> {
        self.tell(Given::Stop, Location::caller(), |machine, context| {
            M::drive_stop(machine, context);
        })
    }

    fn tell(
        &mut self,
        given: Given,
        at: &'static Location<'static>,
        tell: impl FnOnce(&mut Machine<M, F>, &mut C),
    ) -> Seen<'_, M, F> {
        // What somebody did with the machine meanwhile is not of this event.
        self.machine.log().take();
        let from = self.machine.state_text();
        tell(&mut self.machine, &mut self.context);
        let notes = self.machine.log().take();
        let to = self.machine.state_text();
        if self.told.len() > SHOWN {
            self.told.remove(0);
        }
        self.told.push(Told { given, event: notes.event, at, from, to });
        Seen::new(&self.machine, &self.told, notes.steps)
    }
}

impl<M: Chart, C, F> Test<M, C, F> {
    /// Returns the machine.
    #[must_use]
    pub const fn machine(&self) -> &Machine<M, F> {
        &self.machine
    }

    /// Returns the machine, so that you can change the fields of its struct.
    #[must_use]
    pub const fn machine_mut(&mut self) -> &mut Machine<M, F> {
        &mut self.machine
    }

    /// Returns the context that the test lends to the machine.
    #[must_use]
    pub const fn context(&self) -> &C {
        &self.context
    }

    /// Returns the context, so that you can change the context between events.
    #[must_use]
    pub const fn context_mut(&mut self) -> &mut C {
        &mut self.context
    }

    /// Returns the machine and its context.
    #[must_use]
    pub fn into_parts(self) -> (Machine<M, F>, C) {
        (self.machine, self.context)
    }
}

impl<M: Chart, C: fmt::Debug, F> fmt::Debug for Test<M, C, F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Test")
            .field("state", &self.machine.state_text())
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}
