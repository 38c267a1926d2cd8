//! What a test sees: each step, in the order in which it happens.

use quintet::chart::{Step, Test};

use super::machines::plain::{Event as Told, Switch, Within as At};
use super::machines::{Event, State, Walker, Within};

fn walker() -> Test<Walker> {
    Test::new(Walker::NEW.machine())
}

#[test]
fn a_start_enters_the_first_state_once() {
    let mut walker = walker();
    walker.start().does([Step::Run("begin"), Step::Enter(Within::Ground)]).is_in(Within::Ground);
    walker.start().does([]).stays();
}

#[test]
fn the_first_event_starts_the_machine_before() {
    walker().send(&Event::Never).enters([Within::Ground]).runs(["begin"]).is_ignored();
}

#[test]
fn a_transition_is_seen_step_by_step() {
    let mut walker = walker();
    walker.start();
    walker.send(&Event::Up).does([
        Step::Transition(Within::Ground, Within::House),
        Step::Exit(Within::Ground),
        Step::Action,
        Step::Enter(Within::House),
        Step::Run("knock"),
        Step::Run("ring"),
        Step::Enter(Within::Hall),
    ]);
    assert_eq!(walker.machine().log, ["begin", "ladder", "knock", "ring"]);
}

#[test]
fn exits_run_from_the_inside_out() {
    let mut walker = walker();
    walker.send(&Event::Up);
    walker.send(&Event::Across).takes(Within::Hall, Within::Room).state(&State::Room { lamps: 3 });
    walker
        .send(&Event::Down)
        .takes(Within::House, Within::Ground)
        .exits([Within::Room, Within::House])
        .enters([Within::Ground])
        .runs(["dark", "close"])
        .is_not_in(Within::House);
}

#[test]
fn a_local_transition_stays_in_the_superstate() {
    let mut walker = walker();
    walker.send(&Event::Up);
    walker.send(&Event::Back).exits([Within::Hall]).enters([Within::Hall]).is_in(Within::House);
}

#[test]
fn an_internal_transition_stays() {
    let mut walker = walker();
    walker.send(&Event::Up);
    walker.send(&Event::Across);
    walker
        .send(&Event::Later(2))
        .does([Step::Handled(Within::Room)])
        .is_handled()
        .stays()
        .state(&State::Room { lamps: 5 });
    walker.send(&Event::Across);
    walker.send(&Event::Later(2)).does([Step::Handled(Within::House)]);
}

#[test]
fn a_completion_follows() {
    let mut walker = walker();
    walker.start();
    walker
        .send(&Event::Chain)
        .takes(Within::Ground, Within::Landing)
        .exits([Within::Ground, Within::Landing])
        .enters([Within::Landing, Within::House, Within::Hall]);
}

#[test]
fn what_was_put_off_is_recalled() {
    let mut walker = walker();
    walker.start();
    walker.send(&Event::Later(1)).does([Step::Deferred(Within::Ground)]).is_deferred().stays();
    walker.send(&Event::Later(2)).does([Step::Full(Within::Ground)]).is_refused();
    let seen = walker.send(&Event::Up);
    seen.is_handled().takes(Within::Ground, Within::House);
    let recalled = seen.steps().iter().rev().take(2).rev().cloned().collect::<Vec<_>>();
    assert_eq!(
        recalled,
        [Step::Recalled(Some("Later(1)".to_owned())), Step::Handled(Within::House)]
    );
}

#[test]
fn a_history_is_seen_as_what_it_leads_to() {
    let mut switch = Test::new(Switch.machine());
    switch.send(&Told::Nothing).is_ignored();
    switch.send(&Told::Turn).exits([At::Off]).enters([At::On]);
    switch.send(&Told::Turn).takes(At::On, At::Both).enters([At::Both, At::Left]);
}

#[test]
fn what_happens_beside_the_test_is_not_seen() {
    let mut walker = walker();
    assert!(walker.machine_mut().dispatch(&Event::Up).is_ok());
    walker.machine_mut().log.clear();
    walker.send(&Event::Back).takes(Within::House, Within::Hall).runs([]);
    let (machine, ()) = walker.into_parts();
    assert!(machine.is_in(Within::Hall) && machine.log.is_empty());
}
