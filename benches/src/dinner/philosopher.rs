//! A philosopher: thinks, gets hungry, eats.

use quintet::actor::{Shared, TimeEvent};
use quintet::chart::prelude::*;
use quintet::time::Duration;
use quintet_bench_common::mark;

use super::{ASKED, DONE, EATEN, SEATS, Seat, about, table};
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
}

impl From<table::Eat> for Event {
    fn from(table::Eat(seat): table::Eat) -> Self {
        Self::Eat(seat)
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

/// What he has besides his state.
pub struct Context {
    /// Where he sits.
    pub seat: Seat,
    /// A random number.
    pub random: u32,
}

impl Context {
    /// Lets him be told that it is enough, after 100 ms to 1 s.
    fn start(&self) {
        let time = 100 * (1 + u64::from(self.random % 10));
        mark!("arm_from");
        ENOUGH[usize::from(self.seat)].arm(Duration::from_millis(time));
        mark!("arm_to");
    }

    /// He isn't told.
    fn stop(&self) {
        mark!("disarm_from");
        ENOUGH[usize::from(self.seat)].disarm();
        mark!("disarm_to");
    }
}

/// A philosopher.
pub struct Philosopher(());

impl Philosopher {
    /// One who isn't there yet.
    pub const fn new() -> Self {
        Self(())
    }
}

#[quintet::state_machine(initial = State::thinking())]
impl Philosopher {
    #[state(entry_action = begin, exit_action = end)]
    fn thinking(event: &Event) -> Outcome<State> {
        match event {
            Event::Enough => Transition(State::hungry()),
            Event::Sit | Event::Eat(_) => Super,
        }
    }

    #[state(entry_action = ask)]
    fn hungry(event: &Event, context: &mut Context) -> Outcome<State> {
        match event {
            Event::Eat(seat) if **seat == context.seat => Transition(State::eating()),
            _ => Super,
        }
    }

    #[state(entry_action = eat, exit_action = done)]
    fn eating(event: &Event) -> Outcome<State> {
        match event {
            Event::Enough => Transition(State::thinking()),
            Event::Sit | Event::Eat(_) => Super,
        }
    }

    #[action]
    fn begin(context: &mut Context) {
        context.start();
    }

    #[action]
    fn end(context: &mut Context) {
        context.stop();
    }

    #[action]
    fn ask(context: &mut Context) {
        ASKED.add();
        let event = table::Event::Hungry(about(context.seat).share());
        mark!("post_get_from");
        app::waiter::post(event);
    }

    #[action]
    fn eat(context: &mut Context) {
        EATEN.add();
        context.start();
    }

    #[action]
    fn done(context: &mut Context) {
        DONE.add();
        context.stop();
        let event = Done(about(context.seat).share());
        mark!("publish_1_from");
        app::publish(event);
        mark!("publish_1_to");
    }
}

/// Dispatches an event; a call, as in the document's application.
#[inline(never)]
pub fn dispatch(chart: &mut Machine<Philosopher>, event: &Event, context: &mut Context) {
    chart.dispatch(event, context);
}
