//! A philosopher: thinks, gets hungry, eats, until the dinner is over.

use quintet::actor::{Shared, TimeEvent};
use quintet::chart::prelude::*;
use quintet::time::Duration;
use quintet_bench_common::mark;

use super::{SEATS, Seat, about, count, table};
use crate::app;

/// What a philosopher is told.
#[derive(Clone)]
pub enum Event {
    /// To sit down: his first event.
    Sit,
    /// That he has thought, or eaten, for long enough.
    Enough,
    /// Who may eat.
    Eat(Shared<Seat>),
    /// That the table serves again.
    Served,
    /// To leave.
    Leave,
}

impl From<table::Eat> for Event {
    fn from(table::Eat(seat): table::Eat) -> Self {
        Self::Eat(seat)
    }
}

impl From<table::Over> for Event {
    fn from(_: table::Over) -> Self {
        Self::Leave
    }
}

/// Published: who has eaten, and puts his forks down.
#[derive(Clone)]
pub struct Done(pub Shared<Seat>);

/// The time of each.
static ENOUGH: [TimeEvent<Event>; SEATS] = [
    TimeEvent::new(app::philo::handle(0), Event::Enough),
    TimeEvent::new(app::philo::handle(1), Event::Enough),
    TimeEvent::new(app::philo::handle(2), Event::Enough),
    TimeEvent::new(app::philo::handle(3), Event::Enough),
    TimeEvent::new(app::philo::handle(4), Event::Enough),
];

/// A philosopher, with what he has besides his state.
pub struct Philosopher {
    /// Where the times come from for which he thinks and eats.
    random: u32,
}

impl Philosopher {
    /// One who isn't there yet.
    pub const fn new() -> Self {
        Self { random: 1234 }
    }

    /// Lets him be told that it is enough, after 100 ms to 1 s.
    fn start(&mut self, seat: Seat) {
        self.random = self.random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Nobody's are the same.
        let steps = (self.random >> 16).wrapping_add(u32::from(seat)) % 10;
        let time = Duration::from_millis(100 * (1 + u64::from(steps)));
        mark!("arm_from");
        ENOUGH[usize::from(seat)].arm(time);
        mark!("arm_to");
    }

    /// He isn't told.
    fn stop(seat: Seat) {
        mark!("disarm_from");
        ENOUGH[usize::from(seat)].disarm();
        mark!("disarm_to");
    }
}

#[quintet::state_machine(initial = State::thinking())]
impl Philosopher {
    #[state(entry_action = begin, exit_action = end)]
    fn thinking(event: &Event) -> Outcome<State> {
        match event {
            Event::Enough => Transition(State::hungry()),
            Event::Leave => Transition(State::gone()),
            _ => Super,
        }
    }

    #[state(entry_action = ask)]
    fn hungry(event: &Event, context: &mut Seat) -> Outcome<State> {
        match event {
            Event::Eat(who) if **who == *context => Transition(State::eating()),
            Event::Leave => Transition(State::gone()),
            _ => Super,
        }
    }

    #[state(entry_action = eat, exit_action = done)]
    fn eating(event: &Event) -> Outcome<State> {
        match event {
            Event::Enough => Transition(State::thinking()),
            Event::Leave => Transition(State::gone()),
            _ => Super,
        }
    }

    #[state]
    fn gone() -> Outcome<State> {
        Super
    }

    #[action]
    fn begin(&mut self, context: &mut Seat) {
        self.start(*context);
    }

    #[action]
    fn end(context: &mut Seat) {
        Self::stop(*context);
    }

    #[action]
    fn ask(context: &mut Seat) {
        let event = table::Event::Hungry(about(*context));
        mark!("post_get_from");
        app::waiter::post(event);
    }

    #[action]
    fn eat(&mut self, context: &mut Seat) {
        count(*context);
        self.start(*context);
    }

    #[action]
    fn done(context: &mut Seat) {
        let done = Done(about(*context).share());
        mark!("publish_1_from");
        app::publish(done);
        #[cfg(feature = "cooperative")]
        mark!("publish_1_to");
        Self::stop(*context);
    }
}
