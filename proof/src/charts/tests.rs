//! Tests of the interpreter with logs that were derived by hand, of the generator's promises, and
//! of how differences are shrunk and shown.

use super::build::{Ran, Step};
use std::collections::HashSet;

use super::chart::{
    Action, Arm, Branch, Chart, Condition, Effect, Event, Guard, Initial, Kind, NAMES, Outcome,
    Pattern, State, Style, Target,
};
use super::compare::{Difference, first, names};
use super::generate::{self, DEPTH_MAX};
use super::interpret::{Machine, Taken};
use super::reach::{defers, reached};
use super::shrink::{Bench, smallest};

/// A chart that is written by names.
#[derive(Default)]
struct Drawing {
    chart: Chart,
    states: Vec<&'static str>,
    /// The meanings of the actions' numbers.
    words: Vec<String>,
}

impl Drawing {
    /// Adds a state inside another one. It logs its entry and exit.
    fn state(mut self, name: &'static str, parent: &str) -> Self {
        let parent = (!parent.is_empty()).then(|| self.index(parent));
        self.states.push(name);
        let entry = Some(self.action(&format!("+{name}")));
        let exit = Some(self.action(&format!("-{name}")));
        self.chart.states.push(State { parent, entry, exit, ..State::default() });
        self
    }

    fn initial(mut self, state: &str, target: &str) -> Self {
        let action = Some(self.action(&format!("{state}>")));
        let (index, target) = (self.index(state), self.target(target));
        self.chart.states[index].initial = Some(Initial { target, action });
        self
    }

    /// The state logs its name and the event, and returns an outcome.
    fn on(self, state: &str, event: char, outcome: Outcome) -> Self {
        self.on_if(state, event, &[(None, outcome)])
    }

    /// The same with branches for `foo` and its opposite, which they set or clear.
    fn on_if(mut self, state: &str, event: char, ways: &[(Option<bool>, Outcome)]) -> Self {
        let mut branches = Vec::new();
        for (foo, outcome) in ways {
            let mut action = self.action(&format!("{state}-{event}"));
            action.effect = match foo {
                Some(foo) => Effect::Add { variable: 0, by: if *foo { 7 } else { 1 } },
                None => Effect::None,
            };
            let condition = Condition::Variable { variable: 0, least: 1 };
            let guard = Some(Guard { number: u16::MAX, condition });
            let branch = Branch { guard: None, action: Some(action), outcome: outcome.clone() };
            let up = Branch { guard, action: None, outcome: Outcome::Super };
            let none = Branch { guard: None, action: None, outcome: Outcome::Super };
            match foo {
                Some(true) => branches.extend([Branch { guard, ..branch }, none]),
                Some(false) => branches.extend([up, branch]),
                None => branches.push(branch),
            }
        }
        let (index, pattern) = (self.index(state), pattern(event));
        self.chart.states[index].arms.push(Arm { pattern, branches, style: Style::Ifs });
        self
    }

    fn defer(mut self, state: &str, event: char) -> Self {
        let index = self.index(state);
        self.chart.states[index].defer.push(pattern(event));
        self.chart.deferred = 2;
        self
    }

    fn completion(mut self, state: &str, target: &str) -> Self {
        let outcome = self.to(Kind::External, target);
        let action = Some(self.action(&format!("{state}.")));
        let index = self.index(state);
        self.chart.states[index].completion = vec![Branch { guard: None, action, outcome }];
        self
    }

    /// A transition that logs `/`, or nothing if it is local, as Samek's chart has none.
    fn to(&mut self, kind: Kind, target: &str) -> Outcome {
        let action = (kind != Kind::Local).then(|| self.action("/"));
        Outcome::Transition { kind, target: self.target(target), action }
    }

    fn goes(mut self, state: &str, event: char, kind: Kind, target: &str) -> Self {
        let outcome = self.to(kind, target);
        self.on(state, event, outcome)
    }

    fn index(&self, name: &str) -> usize {
        self.states.iter().position(|state| *state == name).unwrap()
    }

    fn target(&self, name: &str) -> Target {
        Target { state: self.index(name), ..Target::default() }
    }

    fn action(&mut self, word: &str) -> Action {
        self.words.push(word.to_owned());
        Action { number: self.words.len() as u16 - 1, effect: Effect::None }
    }

    /// Returns the machine's logs of its start and of each event.
    fn logs(&self, events: &str) -> Vec<String> {
        let mut machine = Machine::new(&self.chart);
        machine.start();
        let mut logs = vec![self.take(&mut machine)];
        for name in events.chars() {
            machine.dispatch(event(name));
            logs.push(self.take(&mut machine));
        }
        logs
    }

    fn take(&self, machine: &mut Machine<'_>) -> String {
        let entries = std::mem::take(&mut machine.log);
        let actions = entries.iter().filter(|entry| **entry != u16::MAX);
        actions.map(|entry| self.words[usize::from(*entry)].as_str()).collect::<Vec<_>>().join(" ")
    }
}

fn event(name: char) -> Event {
    let event = NAMES.iter().position(|other| other.starts_with(name));
    Event { event: event.unwrap(), payload: 0 }
}

fn pattern(name: char) -> Pattern {
    Pattern { event: event(name).event, payload: None }
}

/// Two composites: a { a1 { a11, a12 }, a2 }, b. Each initial is the first.
fn house() -> Drawing {
    let house = Drawing::default().state("a", "").state("a1", "a").state("a11", "a1");
    let house = house.state("a12", "a1").state("a2", "a").state("b", "");
    house.initial("a", "a1").initial("a1", "a11")
}

#[test]
fn samek() {
    let mut drawing = Drawing::default().state("s", "").state("s1", "s").state("s11", "s1");
    drawing = drawing.state("s2", "s").state("s21", "s2").state("s211", "s21");
    for (state, target) in [("s", "s11"), ("s1", "s11"), ("s2", "s211"), ("s21", "s211")] {
        drawing = drawing.initial(state, target);
    }
    let external = [
        ("s1", 'A', "s1"),
        ("s1", 'C', "s2"),
        ("s1", 'F', "s211"),
        ("s11", 'G', "s211"),
        ("s2", 'C', "s1"),
        ("s2", 'F', "s11"),
        ("s21", 'A', "s21"),
        ("s21", 'G', "s1"),
    ];
    let local = [
        ("s", 'E', "s11"),
        ("s1", 'B', "s11"),
        ("s11", 'H', "s"),
        ("s21", 'B', "s211"),
        ("s211", 'D', "s21"),
        ("s211", 'H', "s"),
    ];
    let all = external.map(|way| (Kind::External, way)).into_iter();
    for (kind, (state, event, target)) in all.chain(local.map(|way| (Kind::Local, way))) {
        let target = drawing.target(target);
        let outcome = Outcome::Transition { kind, target, action: None };
        drawing = drawing.on(state, event, outcome);
    }
    for (state, foo, target) in [("s11", true, "s1"), ("s1", false, "s")] {
        let outcome = drawing.to(Kind::Local, target);
        drawing = drawing.on_if(state, 'D', &[(Some(foo), outcome)]);
    }
    drawing = drawing.on_if("s", 'I', &[(Some(true), Outcome::Handled)]);
    drawing = drawing.on("s1", 'I', Outcome::Handled);
    drawing = drawing.on_if("s2", 'I', &[(Some(false), Outcome::Handled)]);
    drawing.chart.start = drawing.target("s2");
    let text = include_str!("../../../quintet/tests/samek/expected.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let lines: Vec<_> = lines.filter_map(|line| line.split_once(':')).collect();
    // No state has the event J, and the charts here have no event of that name.
    let lines: Vec<_> = lines.into_iter().filter(|(event, _)| *event != "J").collect();
    let events: String = lines.iter().map(|(event, _)| *event).filter(|e| *e != "start").collect();
    let logs = drawing.logs(&events);
    assert_eq!(logs.len(), lines.len());
    for (log, (event, line)) in logs.iter().zip(lines) {
        let word = |word: &str| match (word.strip_suffix("-ENTRY"), word.strip_suffix("-EXIT")) {
            (Some(state), _) => format!("+{state}"),
            (_, Some(state)) => format!("-{state}"),
            _ => word.replace("-INIT", ">"),
        };
        let expected: Vec<_> = line.split_whitespace().map(word).collect();
        assert_eq!(*log, expected.join(" "), "{event}");
    }
}

#[test]
fn an_external_transition_exits_and_enters_the_one_that_contains_the_other() {
    let house = house().goes("a", 'A', Kind::External, "a12").goes("a12", 'B', Kind::External, "a");
    let house = house.goes("a11", 'C', Kind::External, "a11");
    assert_eq!(
        house.logs("ABC"),
        [
            "+a a> +a1 a1> +a11",
            "a-A -a11 -a1 -a / +a +a1 +a12",
            "a12-B -a12 -a1 -a / +a a> +a1 a1> +a11",
            "a11-C -a11 / +a11",
        ]
    );
}

#[test]
fn a_local_transition_leaves_that_one_alone() {
    let house = house().goes("a", 'A', Kind::Local, "a12").goes("a12", 'B', Kind::Local, "a");
    let house = house.goes("a", 'C', Kind::Local, "a").goes("a1", 'D', Kind::Local, "b");
    assert_eq!(
        house.logs("ABCD")[1..],
        [
            "a-A -a11 -a1 +a1 +a12",
            "a12-B -a12 -a1 a> +a1 a1> +a11",
            "a-C -a11 -a1 a> +a1 a1> +a11",
            // Neither contains the other: as an external one.
            "a1-D -a11 -a1 -a +b",
        ]
    );
}

#[test]
fn a_shallow_history_enters_the_child_and_a_deep_one_the_leaf() {
    let house = house().goes("a11", 'A', Kind::External, "a12").goes("a", 'B', Kind::External, "b");
    let house = house.goes("b", 'C', Kind::History, "a").goes("b", 'D', Kind::DeepHistory, "a");
    let mut house = house.goes("a1", 'E', Kind::External, "a2").goes("a", 'F', Kind::History, "a");
    house.chart.start = house.target("b");
    assert_eq!(
        house.logs("CBDABDBCEBCF"),
        [
            "+b",
            // Never exited: by the initial transition, with its action.
            "b-C -b / +a a> +a1 a1> +a11",
            "a-B -a11 -a1 -a / +b",
            "b-D -b / +a +a1 +a11",
            "a11-A -a11 / +a12",
            "a-B -a12 -a1 -a / +b",
            "b-D -b / +a +a1 +a12",
            "a-B -a12 -a1 -a / +b",
            // The child was a1, which begins anew.
            "b-C -b / +a +a1 a1> +a11",
            "a1-E -a11 -a1 / +a2",
            "a-B -a2 -a / +b",
            "b-C -b / +a +a2",
            // From inside, the transition comes back to the same place.
            "a-F -a2 -a / +a +a2",
        ]
    );
}

#[test]
fn a_completion_follows_the_entry_and_another_one_that() {
    let house = house().completion("a11", "a12").completion("a12", "b");
    let house = house.goes("b", 'A', Kind::External, "a12");
    assert_eq!(
        house.logs("A"),
        [
            "+a a> +a1 a1> +a11 a11. -a11 / +a12 a12. -a12 -a1 -a / +b",
            "b-A -b / +a +a1 +a12 a12. -a12 -a1 -a / +b",
        ]
    );
}

#[test]
fn a_variable_of_a_leaf_begins_with_what_the_handler_saw() {
    let mut house = house().state("c", "");
    let target = Target { state: house.index("c"), argument: 1, variable: Some(0) };
    let mut adding = house.action("adding");
    adding.effect = Effect::Add { variable: 0, by: 3 };
    let outcome = Outcome::Transition { kind: Kind::External, target, action: Some(adding) };
    let mut house =
        house.on("a11", 'A', outcome).on_if("a11", 'B', &[(Some(false), Outcome::Handled)]);
    let c = house.index("c");
    house.chart.states[c].storage = true;
    let mut machine = Machine::new(&house.chart);
    machine.dispatch(event('B'));
    machine.dispatch(event('A'));
    assert_eq!((machine.leaf, machine.own, machine.variables[0]), (Some(c), 1, 4));
}

#[test]
fn what_is_deferred_comes_back_in_its_order_behind_a_transition() {
    let house = house().defer("a11", 'A').defer("a11", 'B').on("a", 'A', Outcome::Handled);
    let house = house.goes("a12", 'B', Kind::External, "a11").on("a", 'B', Outcome::Handled);
    let house = house.goes("a11", 'C', Kind::External, "a12");
    assert_eq!(
        house.logs("ABCC"),
        [
            "+a a> +a1 a1> +a11",
            "",
            "",
            // A is handled by `a`. B leads back to `a11`.
            "a11-C -a11 / +a12 a-A a12-B -a12 / +a11",
            // Nothing is left.
            "a11-C -a11 / +a12",
        ]
    );
    let mut machine = Machine::new(&house.chart);
    let taken = ['A', 'B', 'A'].map(|name| machine.dispatch(event(name)));
    assert_eq!(taken, [Taken::Kept, Taken::Kept, Taken::Full]);
    assert_eq!(machine.kept, [event('A'), event('B')]);
}

#[test]
fn a_state_inside_takes_what_its_superstate_defers() {
    let house = house().defer("a", 'A').on("a11", 'A', Outcome::Handled);
    let house = house.goes("a1", 'B', Kind::External, "a2").goes("a2", 'B', Kind::External, "b");
    let house = house.on("b", 'A', Outcome::Handled);
    assert_eq!(
        house.logs("ABAB")[1..],
        ["a11-A", "a1-B -a11 -a1 / +a2", "", "a2-B -a2 -a / +b b-A"]
    );
}

#[test]
fn a_handler_that_defers_again_keeps_the_order() {
    let house = house().on("a11", 'A', Outcome::Deferred).on("a12", 'A', Outcome::Deferred);
    let house = house.goes("a11", 'C', Kind::External, "a12").goes("a1", 'D', Kind::External, "b");
    let mut house = house.on("b", 'A', Outcome::Handled).defer("a1", 'B');
    house.chart.deferred = 3;
    let house = house.on("b", 'B', Outcome::Handled);
    assert_eq!(
        house.logs("ABCD")[1..],
        ["a11-A", "", "a11-C -a11 / +a12 a12-A", "a1-D -a12 -a1 -a / +b b-A b-B"]
    );
}

#[test]
fn every_generated_leaf_is_reachable_and_every_feature_comes() {
    let (mut deepest, mut most, mut deferring) = (0, 0, 0);
    let mut kinds = Vec::new();
    for index in 0..60 {
        let size = if index == 0 { 300 } else { 3 + index as u32 };
        let chart = generate::chart(1, index, size);
        assert!(reached(&chart).iter().all(|reached| *reached), "{index}");
        let count = chart.states.len();
        most = most.max(count);
        deferring += usize::from(defers(&chart));
        for state in 0..count {
            deepest = deepest.max(chart.path(state).len());
            for branch in chart.branches(state) {
                if let Outcome::Transition { kind, .. } = branch.outcome {
                    kinds.push(kind);
                }
            }
        }
    }
    assert!(deepest == DEPTH_MAX && most > 250 && deferring > 15, "{deepest} {most} {deferring}");
    for kind in [Kind::External, Kind::Local, Kind::History, Kind::DeepHistory] {
        assert!(kinds.iter().filter(|other| **other == kind).count() > 50, "{kind:?}");
    }
}

#[test]
fn a_generated_chart_always_ends_in_a_leaf() {
    for index in 0..40 {
        let chart = generate::chart(2, index, 30);
        let mut machine = Machine::new(&chart);
        for event in generate::events(2, index, 500) {
            machine.dispatch(event);
            assert!(machine.leaf.is_some_and(|leaf| !chart.is_composite(leaf)), "{index}");
        }
    }
}

/// A wrong interpreter for charts: it forgets the actions of initial transitions.
struct Forgetful;

impl Bench for Forgetful {
    type Charts = Vec<Chart>;

    fn prepare(&self, charts: &[Chart]) -> anyhow::Result<Vec<Chart>> {
        let mut charts = charts.to_vec();
        for state in charts.iter_mut().flat_map(|chart| &mut chart.states) {
            state.initial.iter_mut().for_each(|initial| initial.action = None);
        }
        Ok(charts)
    }

    fn differs(
        &self,
        charts: &Vec<Chart>,
        index: usize,
        chart: &Chart,
        steps: &[Step],
    ) -> anyhow::Result<Option<Difference>> {
        let mut machine = Machine::new(&charts[index]);
        let seen = steps.iter().enumerate().map(|(at, step)| machine.observe(at, *step)).collect();
        Ok(first(chart, steps, &Ran { seen, failure: None }))
    }
}

#[test]
fn what_differs_is_made_small() {
    let chart = generate::chart(3, 1, 60);
    let steps: Vec<Step> = generate::events(3, 1, 3000).into_iter().map(Some).collect();
    let (small, steps, difference) = smallest(&Forgetful, &chart, &steps).unwrap();
    assert!(difference.is_some());
    assert!(small.states.len() <= 6 && steps.len() <= 3, "{} {}", small.states.len(), steps.len());
}

#[test]
fn a_difference_is_shown_side_by_side() {
    let house = house();
    let steps = [None, Some(event('A'))];
    let ready = Forgetful.prepare(std::slice::from_ref(&house.chart)).unwrap();
    let difference = Forgetful.differs(&ready, 0, &house.chart, &steps).unwrap().unwrap();
    let text = difference.report(&house.chart, &steps);
    let lines: Vec<_> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let lines: Vec<_> = lines.iter().map(|words: &Vec<&str>| words.join(" ")).collect();
    assert_eq!(
        lines,
        [
            "default form, step 0 of 2: ... start",
            "the rules the machine",
            "0 s0 entry 0 s0 entry",
            "! 12 s0 initial 2 s1 entry",
            "! 2 s1 entry 4 s2 entry",
            "! 13 s1 initial state s2 own 0",
            "! 4 s2 entry variables 0 0 0 sum 0 room 1 probe 1",
            "! state s2 own 0",
            "! variables 0 0 0 sum 0 room 1 probe 1",
        ]
    );
}

#[test]
fn a_run_that_ends_early_says_how() {
    let house = house();
    let ran = Ran { seen: Vec::new(), failure: Some("a panic\nhere".into()) };
    let difference = first(&house.chart, &[None], &ran).unwrap();
    assert!(difference.report(&house.chart, &[None]).contains("a panic; here"));
    let ran = Ran { failure: None, ..ran };
    let difference = first(&house.chart, &[None], &ran).unwrap();
    assert!(difference.report(&house.chart, &[None]).contains("the run ended early"));
}

/// Charts whose machines stay somewhere for ever would compare nothing.
#[test]
fn machines_come_nearly_everywhere_and_do_nearly_everything() {
    let (mut leaves, mut visited, mut actions, mut done) = (0, 0, 0, 0);
    for index in 0..40 {
        let chart = super::random(0, index);
        let mut machine = Machine::new(&chart);
        let mut active = HashSet::new();
        for event in generate::events(0, index, 5000) {
            machine.dispatch(event);
            active.extend(machine.leaf);
        }
        let all = 0..chart.states.len();
        leaves += all.filter(|state| !chart.is_composite(*state)).count();
        visited += active.len();
        let logged: HashSet<_> = machine.log.iter().collect();
        let names = names(&chart);
        actions += names.len();
        done += names.keys().filter(|number| logged.contains(number)).count();
    }
    assert!(visited * 100 > leaves * 90, "{visited} of {leaves} leaves");
    assert!(done * 100 > actions * 70, "{done} of {actions} actions");
    println!("{visited} of {leaves} leaves, {done} of {actions} actions");
}
