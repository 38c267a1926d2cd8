//! Timers of states, and superstates that are completed.

use quintet::chart::prelude::*;

pub enum Event {
    Go,
    Next,
    Back,
    Leave,
}

/// A timer that says what is done with it.
#[derive(Default)]
pub struct Timer(Vec<String>);

impl Timer {
    fn arm(&mut self, time: u32) {
        self.0.push(format!("arm {time}"));
    }

    fn disarm(&mut self) -> bool {
        self.0.push("disarm".to_owned());
        true
    }
}

#[derive(Default)]
pub struct Job {
    timer: Timer,
    /// How many rounds are left.
    rounds: u8,
}

impl Job {
    fn say(&mut self, what: &str) {
        self.timer.0.push(what.to_owned());
    }
}

#[quintet::state_machine(initial = State::idle(), state(derive(PartialEq, Eq, Debug)))]
impl Job {
    #[state]
    fn idle(event: &Event) -> Outcome<State> {
        match event {
            Event::Go => Transition(State::all()),
            Event::Back => History(State::all()),
            _ => Super,
        }
    }

    #[superstate(initial = State::part(), on_completion = all_done, after = (self.timer, 100))]
    fn all(event: &Event) -> Outcome<State> {
        match event {
            Event::Leave => Transition(State::idle()),
            _ => Super,
        }
    }

    #[superstate(
        superstate = all,
        initial = State::first(),
        on_completion = part_done,
        entry_action = begins,
        exit_action = ends
    )]
    fn part(event: &Event) -> Outcome<State> {
        match event {
            Event::Back => Transition(State::idle()),
            _ => Super,
        }
    }

    #[state(superstate = part, after = (self.timer, u32::from(self.rounds) + 1))]
    fn first(event: &Event) -> Outcome<State> {
        match event {
            Event::Next => Transition(State::last()),
            Event::Go => Transition(State::first()),
            _ => Super,
        }
    }

    #[state(completes = part)]
    fn last() -> Outcome<State> {
        Super
    }

    fn part_done(&mut self) -> Outcome<State> {
        if self.rounds > 0 {
            return Handled;
        }
        self.rounds = 5;
        Transition(State::end(), |this| this.say("part"))
    }

    #[state(completes = all)]
    fn end() -> Outcome<State> {
        Super
    }

    fn all_done() -> Outcome<State> {
        Transition(State::idle(), |this| this.say("all"))
    }

    #[action]
    fn begins(&mut self) {
        self.say("begins");
    }

    #[action]
    fn ends(&mut self) {
        self.say("ends");
    }
}

/// The machine with what was said since the last time.
fn said(job: &mut Machine<Job>) -> Vec<String> {
    std::mem::take(&mut job.timer.0)
}

#[test]
fn a_timer_runs_from_the_entry_of_its_state_to_the_exit() {
    let mut job = Job::default().machine();
    job.start();
    assert_eq!(said(&mut job), [""; 0]);
    job.dispatch(&Event::Go);
    assert_eq!(said(&mut job), ["arm 100", "begins", "arm 1"]);
    job.dispatch(&Event::Go);
    assert_eq!(said(&mut job), ["disarm", "arm 1"], "a transition to itself begins anew");
    job.dispatch(&Event::Leave);
    assert_eq!(said(&mut job), ["disarm", "ends", "disarm"]);
    job.dispatch(&Event::Back);
    assert_eq!(said(&mut job), ["arm 100", "begins", "arm 1"]);
    job.stop();
    assert_eq!(said(&mut job), ["disarm", "ends", "disarm"]);
}

#[test]
fn a_state_that_completes_its_superstate_leads_on_from_there() {
    let mut job = Job::default().machine();
    job.dispatch(&Event::Go);
    said(&mut job);
    job.dispatch(&Event::Next);
    // The part is completed, and by it the whole.
    assert_eq!(said(&mut job), ["disarm", "ends", "part", "disarm", "all"]);
    assert_eq!((job.state(), job.rounds), (&State::Idle, 5));
}

#[test]
fn a_completion_may_stay_and_events_still_come_to_the_superstate() {
    let mut job = Job { rounds: 1, ..Job::default() }.machine();
    job.dispatch(&Event::Go);
    job.dispatch(&Event::Next);
    assert_eq!(job.state(), &State::Last);
    job.dispatch(&Event::Back);
    assert_eq!(job.state(), &State::Idle);
    job.dispatch(&Event::Back);
    // The history is the part, which begins anew.
    assert_eq!(job.state(), &State::First);
}

/// A superstate whose completion leads to one of its own states.
mod laps {
    use quintet::chart::prelude::*;

    pub struct Next;

    #[derive(Default)]
    pub struct Laps(pub Vec<&'static str>);

    #[quintet::state_machine(initial = State::run())]
    impl Laps {
        #[superstate(
            initial = State::run(),
            on_completion = again,
            entry_action = begins,
            exit_action = ends
        )]
        fn lap(_event: &Next) -> Outcome<State> {
            Super
        }

        #[state(superstate = lap)]
        fn run(_event: &Next) -> Outcome<State> {
            Transition(State::goal())
        }

        #[state(completes = lap)]
        fn goal() -> Outcome<State> {
            Super
        }

        fn again() -> Outcome<State> {
            Transition(State::run())
        }

        #[action]
        fn begins(&mut self) {
            self.0.push("begins");
        }

        #[action]
        fn ends(&mut self) {
            self.0.push("ends");
        }
    }
}

#[test]
fn what_follows_a_completion_leaves_the_superstate_as_a_transition_of_its_own_does() {
    let mut laps = laps::Laps::default().machine();
    laps.start();
    laps.dispatch(&laps::Next);
    assert_eq!(laps.0, ["begins", "ends", "begins"]);
}
