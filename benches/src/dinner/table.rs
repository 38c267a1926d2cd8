//! The table: has the forks, and says who may eat.

use quintet::actor::{Shared, Unique};
use quintet::chart::prelude::*;
use quintet_bench_common::mark;

use super::{SEATS, Seat, about, philosopher};
use crate::app;

/// What the table is told.
pub enum Event {
    /// To be laid: its first event.
    Lay,
    /// Who is hungry.
    Hungry(Unique<Seat>),
    /// Who has eaten.
    Done(Shared<Seat>),
    /// To pause.
    Pause,
    /// To go on.
    Serve,
    /// What it doesn't know.
    Test,
    /// To serve nobody any more.
    Close,
}

impl From<philosopher::Done> for Event {
    fn from(philosopher::Done(seat): philosopher::Done) -> Self {
        Self::Done(seat)
    }
}

/// Published: who may eat.
#[derive(Clone)]
pub struct Eat(pub Shared<Seat>);

/// Published: the dinner is over.
#[derive(Clone)]
pub struct Over;

/// The table.
pub struct Table {
    /// Which forks are in use: each is on the right of the seat of its number.
    forks: [bool; SEATS],
    /// Who is hungry.
    hungry: [bool; SEATS],
}

impl Table {
    /// A table that isn't laid yet.
    pub const fn new() -> Self {
        Self { forks: [false; SEATS], hungry: [false; SEATS] }
    }

    /// Lets somebody eat if both of his forks are free.
    fn serve(&mut self, seat: usize) {
        let left = (seat + 1) % SEATS;
        if self.hungry[seat] && !self.forks[seat] && !self.forks[left] {
            (self.forks[seat], self.forks[left]) = (true, true);
            self.hungry[seat] = false;
            let eat = Eat(about(seat as Seat).share());
            mark!("publish_5_from");
            app::publish(eat);
            mark!("publish_5_to");
        }
    }

    /// Takes the forks of somebody who has eaten.
    fn clear(&mut self, seat: usize) {
        (self.forks[seat], self.forks[(seat + 1) % SEATS]) = (false, false);
    }
}

#[quintet::state_machine(initial = State::serving())]
impl Table {
    /// The dinner goes on, or pauses.
    #[superstate]
    fn active(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Hungry(seat) => {
                self.hungry[usize::from(**seat)] = true;
                Handled
            }
            Event::Done(seat) => {
                self.clear(usize::from(**seat));
                Handled
            }
            Event::Close => Transition(State::closed()),
            _ => Super,
        }
    }

    #[state(superstate = active, entry_action = close)]
    fn closed() -> Outcome<State> {
        Super
    }

    #[state(superstate = active, entry_action = begin)]
    fn serving(&mut self, event: &Event) -> Outcome<State> {
        match event {
            Event::Hungry(seat) => {
                let seat = usize::from(**seat);
                self.hungry[seat] = true;
                self.serve(seat);
                Handled
            }
            Event::Done(seat) => {
                let seat = usize::from(**seat);
                self.clear(seat);
                self.serve((seat + SEATS - 1) % SEATS);
                self.serve((seat + 1) % SEATS);
                Handled
            }
            Event::Pause => Transition(State::paused()),
            _ => Super,
        }
    }

    #[state(superstate = active)]
    fn paused(event: &Event) -> Outcome<State> {
        match event {
            Event::Serve => Transition(State::serving()),
            _ => Super,
        }
    }

    #[action]
    fn begin(&mut self) {
        mark!("post_from");
        app::philo::post(0, philosopher::Event::Served);
        mark!("post_to");
        for seat in 0..SEATS {
            self.serve(seat);
        }
    }

    #[action]
    fn close() {
        app::publish(Over);
    }
}
