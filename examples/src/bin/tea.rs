//! A machine for tea: an actor with a state machine whose states end after a time of their own, and
//! whose brewing is completed by its last step.
#![no_std]
#![no_main]

use quintet::actor::TimeEvent;
use quintet::chart::prelude::*;
use quintet::time::{Duration, Instant};
use semihosting::println;

quintet::systick_timer!(Clock, 12_000_000);

// begin: machine
/// What the machine is told.
#[derive(Clone)]
pub enum Event {
    /// Make tea.
    Brew,
    /// Somebody has taken the cup away.
    Cup,
    /// The present step has taken its time.
    Step,
    /// Nobody wants it any more.
    Cold,
}

static STEP: TimeEvent<Event> = TimeEvent::new(app::tea::handle(), Event::Step);
static COLD: TimeEvent<Event> = TimeEvent::new(app::tea::handle(), Event::Cold);

/// The machine for tea.
pub struct Tea;

#[quintet::state_machine(initial = State::off())]
impl Tea {
    #[state(entry_action = say_off)]
    fn off(event: &Event) -> Outcome<State> {
        match event {
            Event::Brew => Transition(State::brewing()),
            _ => Super,
        }
    }

    /// All steps. Without a cup, none of them goes on.
    #[superstate(initial = State::heating(), on_completion = brewed)]
    fn brewing(event: &Event) -> Outcome<State> {
        match event {
            Event::Cup => Transition(State::off()),
            _ => Super,
        }
    }

    #[state(
        superstate = brewing,
        after = (STEP, Duration::from_millis(400)),
        entry_action = say_heat
    )]
    fn heating(event: &Event) -> Outcome<State> {
        match event {
            Event::Step => Transition(State::steeping()),
            _ => Super,
        }
    }

    #[state(
        superstate = brewing,
        after = (STEP, Duration::from_millis(700)),
        entry_action = say_steep
    )]
    fn steeping(event: &Event) -> Outcome<State> {
        match event {
            Event::Step => Transition(State::steeped()),
            _ => Super,
        }
    }

    /// The last step: brewing is done.
    #[state(completes = brewing)]
    fn steeped() -> Outcome<State> {
        Super
    }

    fn brewed() -> Outcome<State> {
        Transition(State::warm())
    }

    #[state(after = (COLD, Duration::from_secs(2)), entry_action = say_warm)]
    fn warm(event: &Event) -> Outcome<State> {
        match event {
            Event::Cup | Event::Cold => Transition(State::off()),
            _ => Super,
        }
    }
    // end: machine

    #[action]
    fn say_off() {
        say("off");
    }

    #[action]
    fn say_heat() {
        say("heats the water");
    }

    #[action]
    fn say_steep() {
        say("lets it steep");
    }

    #[action]
    fn say_warm() {
        say("keeps it warm");
    }
}

fn say(what: &str) {
    let tenths = (Instant::now().as_millis() + 50) / 100;
    println!("{}.{} s  {what}", tenths / 10, tenths % 10);
}

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, QEI0])]
mod app {
    use embassy_time::Timer;
    use quintet::chart::Machine;

    use super::{Clock, Event, Tea};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        person::spawn().ok();
        (Shared {}, Local {})
    }

    #[actor(priority = 2, queue = 2, local = [machine: Machine<Tea> = Tea.machine()])]
    fn tea(cx: tea::Context, event: Event) {
        cx.local.machine.dispatch(&event);
    }

    /// Takes the cup too early, then in time, and forgets the third one.
    #[task(priority = 1)]
    async fn person(_: person::Context) {
        for (wait, cup) in [(600, true), (1500, true), (3600, false)] {
            tea::post(Event::Brew);
            Timer::after_millis(wait).await;
            if cup {
                tea::post(Event::Cup);
            }
        }
        semihosting::process::exit(0)
    }
}
