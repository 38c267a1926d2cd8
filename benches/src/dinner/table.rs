//! The table: has the forks, and says who may eat.

use core::hint::black_box;

use quintet::actor::{Shared, TimeEvent};
use quintet::chart::prelude::*;
use quintet::time::Duration;
use quintet_bench_common::mark;

use super::{PAUSES, SEATS, Seat, about, finish, philosopher};
use crate::app;

/// What the table is told.
#[derive(Clone)]
pub enum Event {
    /// To be laid: its first event.
    Lay,
    /// Who is hungry.
    Hungry(Shared<Seat>),
    /// Who has eaten.
    Done(Shared<Seat>),
    /// To pause, or to go on.
    Pause,
    /// What it doesn't know.
    Nothing,
    /// To serve nobody any more.
    Close,
    /// That all is over.
    End,
}

impl From<philosopher::Done> for Event {
    fn from(philosopher::Done(seat): philosopher::Done) -> Self {
        Self::Done(seat)
    }
}

/// Published: who may eat.
#[derive(Clone)]
pub struct Eat(pub Shared<Seat>);

/// So often the dinner is paused.
const ALL_PAUSES: u32 = 8;

/// When the dinner is paused and goes on, and when all is over.
static PAUSE: TimeEvent<Event> = TimeEvent::new(app::waiter::handle(), Event::Pause);
static END: TimeEvent<Event> = TimeEvent::new(app::waiter::handle(), Event::End);

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

    /// Lets the dinner be paused every other second.
    pub fn lay() {
        PAUSE.arm_periodic(Duration::from_secs(1));
    }

    /// Lets somebody eat if both of his forks are free.
    fn serve(&mut self, seat: usize) {
        let left = (seat + 1) % SEATS;
        if self.hungry[seat] && !self.forks[seat] && !self.forks[left] {
            (self.forks[seat], self.forks[left]) = (true, true);
            self.hungry[seat] = false;
            let event = Eat(about(seat as Seat).share());
            mark!("publish_5_from");
            app::publish(event);
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
    fn open(&mut self, event: &Event) -> Outcome<State> {
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

    #[state(superstate = open, entry_action = wait_for_end)]
    fn closed(event: &Event) -> Outcome<State> {
        match event {
            Event::End => {
                finish();
                Handled
            }
            _ => Super,
        }
    }

    #[state(superstate = open, entry_action = serve_all)]
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

    #[state(superstate = open, entry_action = pause)]
    fn paused(event: &Event) -> Outcome<State> {
        match event {
            Event::Pause => Transition(State::serving()),
            _ => Super,
        }
    }

    #[action]
    fn serve_all(&mut self) {
        for seat in 0..SEATS {
            self.serve(seat);
        }
    }

    #[action]
    fn pause() {
        PAUSES.add();
        // Philosophers who sit ignore it.
        let seat = black_box(0);
        mark!("post_from");
        app::philo::post(seat, philosopher::Event::Sit);
        mark!("post_to");
        app::waiter::post(Event::Nothing);
        if PAUSES.get() == ALL_PAUSES {
            app::waiter::post(Event::Close);
        }
    }

    #[action]
    fn wait_for_end() {
        PAUSE.disarm();
        END.arm(Duration::from_secs(5));
    }
}

/// Dispatches an event; a call, as in the document's application.
#[inline(never)]
pub fn dispatch(chart: &mut Machine<Table>, event: &Event) {
    chart.dispatch(event);
}
