//! A pelican crossing for toy cars: an actor with a state machine. Cars have green until somebody
//! presses the button, but for a second at least; a press that comes too early waits.
//!
//! `quintet chart` draws this file as docs/book/pelican.svg.
#![no_std]
#![no_main]

use quintet::actor::TimeEvent;
use quintet::chart::prelude::*;
use quintet::time::{Duration, Instant};
use semihosting::println;

quintet::systick_timer!(Clock, 12_000_000);

// begin: events
/// What the crossing is told.
#[derive(Clone)]
pub enum Event {
    /// Somebody wants to cross.
    Press,
    /// The time of the present state is over.
    Timeout,
    /// Take the crossing into service.
    On,
    /// Take it out of service.
    Off,
}

/// One is enough: each state arms it anew.
static TIMEOUT: TimeEvent<Event> = TimeEvent::new(app::crossing::handle(), Event::Timeout);
// end: events

/// The crossing. Its lamps are lines of text.
pub struct Pelican;

fn wait(tenths: u64) {
    TIMEOUT.arm(Duration::from_millis(100 * tenths));
}

fn show(lamps: &str) {
    let tenths = (Instant::now().as_millis() + 50) / 100;
    println!("{:3}.{} s  {lamps}", tenths / 10, tenths % 10);
}

// begin: machine
#[quintet::state_machine(initial = State::in_service(), deferred = 1)]
impl Pelican {
    #[superstate(initial = State::cars(), exit_action = stop_time)]
    fn in_service(event: &Event) -> Outcome<State> {
        match event {
            Event::Off => Transition(State::out_of_service()),
            _ => Super,
        }
    }

    #[superstate(superstate = in_service, initial = State::cars_green(), exit_action = cars_stop)]
    fn cars() -> Outcome<State> {
        Super
    }

    /// They have just begun: a press is put off until they have had their time.
    #[state(superstate = cars, entry_action = cars_go, defer = [Event::Press])]
    fn cars_green(event: &Event) -> Outcome<State> {
        match event {
            Event::Timeout => Transition(State::cars_may_stop()),
            _ => Super,
        }
    }

    #[state(superstate = cars)]
    fn cars_may_stop(event: &Event) -> Outcome<State> {
        match event {
            Event::Press => Transition(State::cars_yellow()),
            _ => Super,
        }
    }

    #[state(superstate = cars, entry_action = yellow)]
    fn cars_yellow(event: &Event) -> Outcome<State> {
        match event {
            Event::Timeout => Transition(State::people()),
            _ => Super,
        }
    }

    #[superstate(superstate = in_service, initial = State::walk(), exit_action = people_stop)]
    fn people() -> Outcome<State> {
        Super
    }

    /// Who presses now has green already.
    #[state(superstate = people, entry_action = people_go)]
    fn walk(event: &Event) -> Outcome<State> {
        match event {
            Event::Timeout => Transition(State::hurry(3)),
            _ => Super,
        }
    }

    /// So many times the green man still blinks.
    #[state(superstate = people, entry_action = blink, defer = [Event::Press])]
    fn hurry(left: &mut u8, event: &Event) -> Outcome<State> {
        match event {
            Event::Timeout if *left > 1 => {
                *left -= 1;
                wait(1);
                Handled
            }
            Event::Timeout => Transition(State::cars()),
            _ => Super,
        }
    }

    #[state(entry_action = all_off)]
    fn out_of_service(event: &Event) -> Outcome<State> {
        match event {
            Event::On => Transition(State::in_service()),
            _ => Super,
        }
    }

    // end: machine
    #[action]
    fn cars_go() {
        show("cars: green");
        wait(10);
    }

    #[action]
    fn cars_stop() {
        show("cars: red");
    }

    #[action]
    fn yellow() {
        show("cars: yellow");
        wait(3);
    }

    #[action]
    fn people_go() {
        show("people: green");
        wait(5);
    }

    #[action]
    fn blink() {
        show("people: green, blinking");
        wait(1);
    }

    #[action]
    fn people_stop() {
        show("people: red");
    }

    #[action]
    fn all_off() {
        show("out of service");
    }

    #[action]
    fn stop_time() {
        TIMEOUT.disarm();
    }
}

#[quintet::app(device = lm3s6965, dispatchers = [SSI0, UART0])]
mod app {
    use quintet::chart::Machine;
    use quintet::time::{Duration, Instant, Timer};

    use super::{Clock, Event, Pelican, show};

    #[shared]
    struct Shared {}

    #[local]
    struct Local {}

    #[init]
    fn init(cx: init::Context) -> (Shared, Local) {
        Clock::start(cx.core.SYST);
        assert!(street::spawn().is_ok());
        (Shared {}, Local {})
    }

    // begin: actor
    // The machine takes its initial transition before the first event, which has no effect then.
    #[actor(
        priority = 2,
        queue = 4,
        first = Event::On,
        local = [machine: Machine<Pelican> = Pelican.machine()]
    )]
    fn crossing(cx: crossing::Context, event: Event) {
        if cx.local.machine.dispatch(&event).is_err() {
            show("one press is put off already");
        }
    }
    // end: actor

    /// What happens at the crossing: after so many tenths of a second somebody does
    /// something.
    const SCRIPT: [(u64, Event); 8] = [
        (4, Event::Press),  // too early: at 1.0 s
        (5, Event::Press),  // is told so
        (15, Event::Press), // has green already
        (20, Event::Press), // too late: as soon as cars have had their time again
        (55, Event::Press), // at once
        (56, Event::Off),
        (57, Event::Press), // nobody listens
        (60, Event::On),
    ];

    #[task(priority = 1)]
    async fn street(_: street::Context) {
        let start = Instant::now();
        for (tenths, event) in SCRIPT {
            Timer::at(start + Duration::from_millis(100 * tenths)).await;
            if let Event::Press = event {
                show("somebody presses");
            }
            crossing::post(event);
        }
        Timer::after(Duration::from_millis(100)).await;
        semihosting::process::exit(0)
    }
}
